import { Readable } from 'node:stream';
import type { diagnosticsRequests } from '../../../preload/contract/diagnostics.ts';
import { logInReport, reportOf, systemInReport } from '../../diagnosis/report.ts';
import { writePieces } from '../../platform/replace-file.ts';
import { VERSION } from '../../platform/version.ts';
import type { DesktopContext, HandlersOf } from '../context.ts';
import { DiagnosisRun } from './diagnosis.ts';
import { diagnosisSource, reportedState } from './source.ts';

export function diagnosticsHandlers(context: DesktopContext): HandlersOf<typeof diagnosticsRequests> {
  const { causeway, env, model, settings, shell, emit } = context;
  const diagnosis = new DiagnosisRun(
    () => diagnosisSource(context),
    (state) => emit('diagnosisChanged', state),
  );

  const report = async (): Promise<string> => {
    const profiles = await causeway.auth().then(
      (auth) => auth.profiles(),
      () => [],
    );
    const { startedAt, checks } = diagnosis.state;
    return reportOf({
      version: VERSION,
      versions: shell.versions,
      system: systemInReport(),
      env,
      settings: settings.current,
      settingsFile: settings.path,
      profiles,
      state: reportedState(model.state),
      checks: startedAt === null ? null : checks,
      log: logInReport(env),
      now: new Date(),
    });
  };

  return {
    getDiagnosis: async () => diagnosis.state,
    runDiagnosis: async () => void (await diagnosis.run()),
    cancelDiagnosis: async () => void diagnosis.cancel(),
    previewDiagnostics: async () => ({ text: await report() }),
    copyDiagnostics: async () => void shell.copy(await report()),
    saveDiagnostics: async () => {
      const kinds = [{ name: 'Text', extensions: ['txt'] }];
      const file = await shell.chooseFileToSave({ title: 'Save diagnostics', name: 'causeway-diagnostics.txt', kinds });
      if (file === null) return { file };
      const text = await report();
      await writePieces(file, Readable.from([text]));
      return { file };
    },
  };
}
