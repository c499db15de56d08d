import { join } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { CHECKS, type CheckRun, type DiagnosisSource, makeCheck, openRun } from '../app/diagnosis/checks.ts';
import {
  type CheckFinding,
  type FindingStatus,
  failedBecause,
  pass,
  remedyAsCommand,
  skipped,
  warning,
} from '../app/diagnosis/finding.ts';
import {
  logInReport,
  type ReportedState,
  reportOf,
  systemInReport,
  warehouseInReport,
} from '../app/diagnosis/report.ts';
import { openServers } from '../clients/servers.ts';
import { readBounded } from '../platform/bounded-file.ts';
import { CausewayError } from '../platform/errors.ts';
import { codeOf, fileError } from '../platform/file-errors.ts';
import { type JsonFault, parseJson } from '../platform/json-faults.ts';
import { writeOutsidePieces } from '../platform/outside-file.ts';
import { configFolder, SETTINGS_NAME } from '../platform/paths.ts';
import { VERSION } from '../platform/version.ts';
import { inOneLine } from '../words/failure.ts';
import type { Answer } from './answers/answers.ts';
import { openClients } from './clients/options.ts';
import { type CommandContext, EXIT_UNKNOWN } from './command.ts';
import { exitCodeOfAll, jsonFailure } from './failure.ts';
import { askToReplace } from './output-file.ts';
import { type Application, askApplication, askServers } from './status.ts';
import {
  bold,
  openProgress,
  printable,
  sayStillWaiting,
  write,
  writeAnswer,
  writeNotice,
  writeStyledLine,
} from './terminal.ts';

interface DiagnoseOptions {
  profile?: string;
  report?: string;
  force?: boolean;
  json?: boolean;
}

/** A check that was made. */
interface Made {
  id: string;
  title: string;
  finding: CheckFinding;
}

/** In the order in which they are printed. */
const MARKS: Record<FindingStatus, string> = {
  fail: '✗ fail',
  unknown: '? unknown',
  warning: '! warning',
  pass: '✓ pass',
  skipped: '– n/a',
};
const ORDER = Object.keys(MARKS);
const MARK_WIDTH = Math.max(...Object.values(MARKS).map(({ length }) => length));

/** `causeway diagnose`: runs every check, prints problems first, and writes the report if asked to. */
export async function diagnose(context: CommandContext, options: DiagnoseOptions): Promise<void> {
  const { report, json } = options;
  const isPrinted = report === '-';
  if (isPrinted && json) throw new CausewayError('usage', '--report - and --json both print to stdout.');
  if (report !== undefined && !isPrinted) await askToReplace(context, report, options.force);
  const run = await openRun(commandSource(context, options.profile), context.signal);
  const made = await makeAll(context, run, json || context.quiet);
  context.signal.throwIfAborted();
  if (isPrinted) await write(context.stdout, await reportFor(context, run, made));
  else if (json) await writeAnswer(context, 'diagnose', await asJson(run, made));
  else for (const line of linesOf(made, context)) await writeStyledLine(context.stdout, line, MARK_WIDTH + 2);
  context.setExitCode(exitCodeFor(made));
  if (report === undefined || isPrinted) return;
  const text = await reportFor(context, run, made);
  await writeOutsidePieces(report, Readable.from([text]), 'text', context.signal);
  await writeNotice(context, `Wrote the report to ${report}.`);
}

async function makeAll(context: CommandContext, run: CheckRun, quiet: boolean | undefined): Promise<Made[]> {
  const made: Made[] = [];
  const progress = openProgress(context, quiet || context.stderr.isTTY !== true);
  try {
    for (const check of CHECKS) {
      context.signal.throwIfAborted();
      progress.say(`Checking: ${check.title}…`);
      made.push({ id: check.id, title: check.title, finding: await makeCheck(check, run) });
    }
  } finally {
    progress.end();
  }
  return made.sort((a, b) => ORDER.indexOf(a.finding.status) - ORDER.indexOf(b.finding.status));
}

/** The exit code of the failures if they agree. A failure that is not a `CausewayError` has code 1. */
function exitCodeFor(made: readonly Made[]): number {
  const failed = made.filter(({ finding }) => finding.status === 'fail');
  if (failed.length > 0) return exitCodeOfAll(failed.map(({ finding }) => finding.error));
  return made.some(({ finding }) => finding.status === 'unknown') ? EXIT_UNKNOWN : 0;
}

function linesOf(made: readonly Made[], context: CommandContext): string[] {
  const lines = made.flatMap(({ title, finding }) => {
    const remedy = remedyAsCommand(finding);
    const words = `${MARKS[finding.status].padEnd(MARK_WIDTH)}  ${bold(title, context)}: ${printable(finding.words)}`;
    return remedy === null ? [words] : [words, `${' '.repeat(MARK_WIDTH)}  → ${printable(remedy)}`];
  });
  return [...lines, outcome(made)];
}

/** The outcome of all checks, as a sentence. */
function outcome(made: readonly Made[]): string {
  const count = (status: FindingStatus) => made.filter(({ finding }) => finding.status === status).length;
  const failed = count('fail');
  const unknown = count('unknown');
  const notChecked = unknown === 0 ? '' : ` ${unknown === 1 ? '1 check has' : `${unknown} checks have`} no result.`;
  if (failed > 0) return `${failed === 1 ? '1 problem' : `${failed} problems`} found.${notChecked}`;
  if (unknown > 0) return `No problem found, but not everything could be checked.${notChecked}`;
  return count('warning') > 0 ? 'No problem found. See the warnings above.' : 'No problem found.';
}

async function asJson(run: CheckRun, made: readonly Made[]): Promise<Answer<'diagnose'>> {
  return {
    version: VERSION,
    profile: (await run.profile())?.name ?? null,
    checks: made.map(({ id, title, finding }) => ({
      id,
      title,
      status: finding.status,
      message: finding.words,
      remedy: remedyAsCommand(finding),
      error: finding.error ? jsonFailure(finding.error) : null,
    })),
  };
}

async function reportFor({ env }: CommandContext, run: CheckRun, made: readonly Made[]): Promise<string> {
  const { path, values } = await storedSettings(env);
  return reportOf({
    version: VERSION,
    versions: process.versions,
    system: systemInReport(),
    env,
    settings: values,
    settingsFile: path,
    profiles: await run.auth.profiles().catch(() => []),
    state: await stateOf(env, run),
    checks: made.map(({ title, finding }) => ({
      title,
      status: finding.status,
      words: finding.words,
      remedy: remedyAsCommand(finding),
    })),
    log: logInReport(env),
    now: new Date(),
  });
}

async function stateOf(env: NodeJS.ProcessEnv, run: CheckRun): Promise<ReportedState> {
  const profile = await run.profile();
  const warehouse = profile ? await run.effective(profile).then(warehouseInReport, reasonOf) : 'not known';
  const servers = await run.servers().catch(() => []);
  const { sessions } = await askApplication(env);
  return { profile: profile?.name ?? null, warehouse, servers, sessions: sessions?.length ?? null, updates: null };
}

function reasonOf(error: unknown): string {
  return `failed (${error instanceof CausewayError ? error.code : inOneLine(error)})`;
}

/** The checks' sources for a command, which has no cached state. */
export function commandSource(context: CommandContext, profile: string | undefined): DiagnosisSource {
  const { env, stderr } = context;
  return {
    causeway: context.causeway(),
    env,
    profile,
    settings: () => settingsFinding(env),
    version: async () => versionFinding(await askApplication(env)),
    servers: () => askServers(context),
    clients: async () => openClients(context, {}).survey((await openServers(context.env)).initial.servers),
    hub: async () => hubFinding(await askApplication(env)),
    onSilence: (host) => {
      if (!context.quiet) sayStillWaiting(context, host);
    },
    onFault: (error) =>
      void stderr.write(`causeway: A check failed with an internal error. ${printable(inOneLine(error))}\n`),
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
  const damaged = ({ line, column, what }: JsonFault) =>
    new CausewayError('invalid_file', `${path} is damaged: line ${line}, column ${column}: ${what}.`, {
      remedy: 'The application keeps a copy and starts with default settings.',
    });
  try {
    const stored = await parseJson(
      (await readBounded(path, 'own')).toString('utf8'),
      z.record(z.string(), z.unknown()),
      damaged,
    );
    const simple = Object.entries(stored).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
    return { path, values: Object.fromEntries(simple), error: undefined };
  } catch (error) {
    return { path, values: {}, error: codeOf(error) === 'ENOENT' ? undefined : fileError(path, error) };
  }
}

async function settingsFinding(env: NodeJS.ProcessEnv): Promise<CheckFinding> {
  const { path, error } = await storedSettings(env);
  return error === undefined ? pass(`Stored in ${path}.`) : failedBecause(error);
}

function versionFinding({ version }: Application): CheckFinding {
  const words = `Version ${VERSION} on Node.js ${process.versions.node}.`;
  if (version === null || version === VERSION) return pass(words);
  return warning(`${words} The running application is version ${version}.`, {
    advice: 'Use the command that came with the application, or update the older one.',
  });
}

function hubFinding({ running, sessions, problem }: Application): CheckFinding {
  if (problem !== null) {
    return warning(`AI clients cannot reach the application. ${problem}`, {
      advice: 'They connect on their own meanwhile. Quit Causeway and start it again.',
    });
  }
  if (!running) return skipped('The application is not running. AI clients connect on their own.');
  if (sessions === null) return pass('AI clients can connect to the application.');
  const open = sessions.length === 1 ? '1 session is open' : `${sessions.length} sessions are open`;
  return pass(`AI clients can connect to the application. ${open}.`);
}
