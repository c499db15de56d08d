import { arch, release } from 'node:os';
import { Readable } from 'node:stream';
import type { diagnosticsRequests } from '../../../preload/contract/diagnostics.ts';
import { writePieces } from '../../platform/replace-file.ts';
import { VERSION } from '../../platform/version.ts';
import type { DesktopContext } from '../context.ts';
import type { HandlersOf } from '../handlers.ts';
import { lastLines } from '../log.ts';
import { bundleOf } from './bundle.ts';
import { Diagnosis } from './diagnosis.ts';

/** How much of the log goes into a report. */
const LINES = 300;

export function diagnosticsHandlers(context: DesktopContext): HandlersOf<typeof diagnosticsRequests> {
  const { causeway, env, model, settings, shell, emit } = context;
  const diagnosis = new Diagnosis(context, (state) => emit('diagnosisChanged', state));

  const bundle = async (): Promise<string> => {
    const profiles = await causeway.auth().then(
      (auth) => auth.profiles(),
      () => [],
    );
    return bundleOf({
      version: VERSION,
      versions: shell.versions,
      system: {
        platform: process.platform,
        release: release(),
        arch: arch(),
        language: Intl.DateTimeFormat().resolvedOptions().locale,
      },
      env,
      settings: settings.current,
      settingsFile: settings.path,
      profiles,
      state: model.state,
      diagnosis: diagnosis.state,
      log: lastLines(env, LINES),
      now: new Date(),
    });
  };

  return {
    getDiagnosis: async () => diagnosis.state,
    runDiagnosis: async () => void (await diagnosis.run()),
    cancelDiagnosis: async () => void diagnosis.cancel(),
    previewDiagnostics: async () => ({ text: await bundle() }),
    copyDiagnostics: async () => void shell.copy(await bundle()),
    saveDiagnostics: async () => {
      const kinds = [{ name: 'Text', extensions: ['txt'] }];
      const file = await shell.chooseFileToSave({ title: 'Save diagnostics', name: 'causeway-diagnostics.txt', kinds });
      if (file === null) return { file };
      const text = await bundle();
      await writePieces(file, Readable.from([text]));
      return { file };
    },
  };
}
