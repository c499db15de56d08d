import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiagnosisSource } from '../../diagnosis/checks.ts';
import { type Finding, fail, failedBecause, pass, skipped, warning } from '../../diagnosis/finding.ts';
import { inOneLine } from '../../platform/errors.ts';
import { codeOf, explain } from '../../platform/file-errors.ts';
import { configFolder, SETTINGS_NAME } from '../../platform/paths.ts';
import { VERSION } from '../../platform/version.ts';
import { openClients } from '../clients/options.ts';
import type { CommandContext } from '../command.ts';
import { printable } from '../print.ts';
import { sayStillWaiting } from '../progress.ts';
import { askServers } from '../servers/health.ts';
import { openServerList } from '../servers/options.ts';
import { type Application, askApplication } from '../status/application.ts';

/** What a command can find out for the checks: everything is asked for now. */
export function commandSource(context: CommandContext, profile: string | undefined): DiagnosisSource {
  const { env, stderr } = context;
  return {
    causeway: context.causeway(),
    env,
    profile,
    settings: () => settingsFinding(env),
    version: async () => versionFinding(await askApplication(env)),
    servers: () => askServers(context),
    clients: async () => openClients(context, {}).survey((await openServerList(context)).read().servers),
    hub: async () => hubFinding(await askApplication(env)),
    onSilence: (host) => sayStillWaiting(context, host),
    onFault: (error) =>
      void stderr.write(`causeway: A check failed by a fault of its own. ${printable(inOneLine(error))}\n`),
  };
}

/** The application's settings as they are stored. */
interface StoredSettings {
  path: string;
  values: Record<string, unknown>;
  /** Why they cannot be read. */
  error: unknown;
}

/** Reads the settings of the application, and changes nothing. */
export async function storedSettings(env: NodeJS.ProcessEnv): Promise<StoredSettings> {
  const path = join(configFolder(env), `${SETTINGS_NAME}.json`);
  try {
    const stored: unknown = JSON.parse(await readFile(path, 'utf8'));
    const isObject = typeof stored === 'object' && stored !== null && !Array.isArray(stored);
    if (!isObject) throw new SyntaxError('It holds no settings.');
    const simple = Object.entries(stored).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
    return { path, values: Object.fromEntries(simple), error: undefined };
  } catch (error) {
    return { path, values: {}, error: codeOf(error) === 'ENOENT' ? undefined : error };
  }
}

async function settingsFinding(env: NodeJS.ProcessEnv): Promise<Finding> {
  const { path, error } = await storedSettings(env);
  if (error === undefined) return pass(`They are in ${path}.`);
  if (!(error instanceof SyntaxError)) return failedBecause(explain(path, error));
  return fail(`${path} is damaged.`, {
    advice: 'The application sets it aside when it starts, and begins with its usual settings.',
  });
}

function versionFinding({ version }: Application): Finding {
  const words = `This is ${VERSION}, on Node.js ${process.versions.node}.`;
  if (version === null || version === VERSION) return pass(words);
  return warning(`${words} The running application is ${version}.`, {
    advice: 'Use the command that came with the application, or update the older one of the two.',
  });
}

function hubFinding({ running, sessions, problem }: Application): Finding {
  if (problem !== null) {
    return warning(`AI clients do not reach the application. ${problem}`, {
      advice: 'Each of them connects by itself meanwhile. Quit Causeway and start it again.',
    });
  }
  if (!running) return skipped('The application is not running: each AI client connects by itself.');
  if (sessions === null) return pass('AI clients can reach the application.');
  const open = sessions.length === 1 ? 'one session is open' : `${sessions.length} sessions are open`;
  return pass(`AI clients can reach the application: ${open}.`);
}
