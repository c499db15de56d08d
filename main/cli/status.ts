import { setTimeout as sleep } from 'node:timers/promises';
import type { EntryState } from '../../preload/contract/clients.ts';
import { clockTime } from '../../preload/contract/words/times.ts';
import type { ServerStatus } from '../app/diagnosis/local-checks.ts';
import { permissionsHere } from '../app/permissions.ts';
import { openServers } from '../clients/servers.ts';
import { displayNameOf } from '../clients/table.ts';
import { askHub, isHubAlive } from '../hub/attach.ts';
import { formatHealth } from '../hub/health/format.ts';
import type { ServerHealth } from '../hub/health/health.ts';
import { hubFolder, lookUpHub } from '../hub/rendezvous.ts';
import { readSessions } from '../hub/wire-schemas.ts';
import { CausewayError, sentences } from '../platform/errors.ts';
import { isProcessAlive } from '../platform/process-alive.ts';
import { VERSION } from '../platform/version.ts';
import { remedyFor } from '../words/failure.ts';
import type { Answer } from './answers/answers.ts';
import { STATE_TEXTS, shownEntries } from './clients/entry-states.ts';
import { clientAnswer } from './clients/list.ts';
import { openClients } from './clients/options.ts';
import type { CommandContext } from './command.ts';
import { type ExitCode, exitCodeOfCodes, jsonFailure } from './failure.ts';
import { table } from './layout.ts';
import { inEffectData, inEffectLines } from './permissions-list.ts';
import { bold, fitted, printable, terminalWidth, write, writeAnswer, writeStyledLine } from './terminal.ts';
import { describeEffective, effectiveAnswer } from './warehouse/own.ts';

interface StatusOptions {
  profile?: string;
  json?: boolean;
  watch?: boolean;
  /** Whether the command fails where something does not work. */
  check?: boolean;
}

export type Status = Answer<'status'>;

/** The parts that take longer than the application's own answer. */
type Slow = Omit<Status, 'version' | 'application'>;

/** How often the sessions are read, in milliseconds. */
const SESSIONS_EVERY_MS = 1_000;
/** How often servers, files and the warehouse are read, in milliseconds. */
const REST_EVERY_MS = 30_000;

/** `causeway status`: everything on one screen. The parts that take long are read at the same time. */
export async function status(context: CommandContext, options: StatusOptions): Promise<void> {
  await checkProfileName(context, options);
  if (options.watch) return watch(context, options);
  // First: the rest loads much code, and the application does not wait long for this side's next line.
  const application = await askApplication(context.env);
  const slow = await look(context, options);
  context.signal.throwIfAborted();
  const found: Status = { version: VERSION, application, ...slow };
  if (options.check) context.setExitCode(exitCodeOfStatus(found));
  if (options.json) return writeAnswer(context, 'status', found);
  for (const line of statusLines(found, context)) await writeStyledLine(context.stdout, line);
}

/** The entries of clients through which a client has no server. */
const BROKEN: ReadonlySet<EntryState> = new Set<EntryState>(['broken', 'not-on-path']);

/** The exit code of what does not work, or of what could not be checked. */
function exitCodeOfStatus({ application, servers, clients, warehouse, permissions }: Status): ExitCode {
  const files = clients.flatMap((client) => client.files);
  const isBroken = files.some(({ entries }) => Object.values(entries).some((state) => BROKEN.has(state)));
  const isUnreadable = [application, ...clients, ...files].some(({ problem }) => problem !== null);
  const doQueriesFail = 'problems' in warehouse && warehouse.problems.length > 0;
  const errors = [
    ...servers.map(({ error }) => error),
    'error' in warehouse ? warehouse.error : null,
    'error' in permissions ? permissions.error : (permissions.organization?.error ?? null),
  ];
  return exitCodeOfCodes([
    ...errors.flatMap((error) => error?.code ?? []),
    ...(isBroken || isUnreadable || doQueriesFail ? (['invalid_file'] as const) : []),
  ]);
}

/** A name that is mistyped is no state to report. @throws {CausewayError} `profile_not_found` */
async function checkProfileName(context: CommandContext, { profile }: StatusOptions): Promise<void> {
  if (profile === undefined) return;
  await (await context.causeway().auth()).profile(profile).catch((error: unknown) => {
    if (error instanceof CausewayError && error.code === 'profile_not_found') throw error;
  });
}

/** Shows the status again whenever it changes. Ends with Ctrl+C, which is not a failure. */
async function watch(context: CommandContext, options: StatusOptions): Promise<void> {
  const { signal, stdout } = context;
  let slow: Slow | undefined;
  let lookedAt = 0;
  let shown = '';
  while (!signal.aborted) {
    try {
      if (slow === undefined || performance.now() - lookedAt >= REST_EVERY_MS) {
        slow = await look(context, options);
        lookedAt = performance.now();
      }
      const found: Status = { version: VERSION, application: await askApplication(context.env), ...slow };
      signal.throwIfAborted();
      const text = options.json ? `${JSON.stringify(found)}\n` : screenOf(found, context);
      if (text !== shown) await write(stdout, stdout.isTTY && !options.json ? `${CLEAR_SCREEN}${text}` : text);
      shown = text;
      await sleep(SESSIONS_EVERY_MS, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

function screenOf(found: Status, context: CommandContext): string {
  return statusLines(found, context)
    .map((line) => fitted(context.stdout, line))
    .join('');
}

/** The cursor to the first line, and nothing below it. */
const CLEAR_SCREEN = '\u001b[H\u001b[2J';

async function look(context: CommandContext, { profile }: StatusOptions): Promise<Slow> {
  const [servers, clients, warehouse, permissions] = await Promise.all([
    serversOf(context),
    clientsOf(context),
    warehouseOf(context, profile),
    permissionsOf(context),
  ]);
  return { servers, clients, warehouse, permissions };
}

async function serversOf(context: CommandContext): Promise<Status['servers']> {
  const asked = await askServers(context);
  return asked.map(({ name, profile, path, status: state, words: message, remedy, problem }) => {
    const why = state === 'no-grants' ? new CausewayError('no_grants', message) : problem;
    return { name, profile, path, state, message, remedy, error: why ? jsonFailure(why) : null };
  });
}

async function clientsOf(context: CommandContext): Promise<Status['clients']> {
  const { servers } = (await openServers(context.env)).initial;
  const clients = openClients(context, {});
  const reports = await clients.survey(servers);
  return reports.filter(({ foundBy }) => foundBy !== null).map((report) => clientAnswer(clients, report));
}

async function permissionsOf(context: CommandContext): Promise<Status['permissions']> {
  try {
    return inEffectData(await permissionsHere(context.env, await context.causeway().auth()));
  } catch (error) {
    if (!(error instanceof CausewayError)) throw error;
    return { error: jsonFailure(error) };
  }
}

async function warehouseOf(context: CommandContext, profile: string | undefined): Promise<Status['warehouse']> {
  try {
    const { warehouses } = await context.causeway().open(profile);
    return effectiveAnswer(await warehouses.survey(context.signal));
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code === 'cancelled') throw error;
    return { error: jsonFailure(error) };
  }
}

/** How far the lines below a title are indented. */
const INDENT = 2;

/** The status as the lines of a screen. */
export function statusLines(found: Status, context: CommandContext): string[] {
  const { version, application, servers, clients, warehouse, permissions } = found;
  const section = (title: string, lines: readonly string[], none: string) => [
    bold(title, context),
    ...(lines.length > 0 ? lines : [none]).map((line) => `  ${printable(line)}`),
  ];
  const width = terminalWidth(context.stdout, INDENT);
  const sessions = application.sessions === null ? [] : section('Sessions', sessionRows(found, width), 'none open');
  return [
    ...section(`Causeway ${version}`, [applicationLine(application, version)], ''),
    ...sessions,
    ...section('Servers', servers.map(serverLine), 'none yet; add one with: causeway servers add sql'),
    ...section('AI clients', clients.flatMap(clientLines), 'none found'),
    ...section('Permissions', permissionLines(permissions), 'every client may use every tool'),
    ...section('Warehouse', warehouseLines(warehouse, width), ''),
  ];
}

function applicationLine({ running, pid, version, sessions, problem }: Application, own: string): string {
  if (!running) return problem ?? 'not running; AI clients connect on their own';
  const other = version === null || version === own ? '' : `, version ${version}`;
  const unseen = sessions === null ? '; it did not report its sessions' : '';
  return `running (process ${pid}${other})${unseen}`;
}

function sessionRows({ application: { sessions }, servers }: Status, width: number | undefined): string[] {
  if (sessions === null || sessions.length === 0) return [];
  const heads = ['CLIENT', 'SERVER', 'AS', 'SINCE', 'IN FLIGHT', 'DONE', 'FAILED'];
  return table(
    sessions.map(({ client, pid, profile, path, userName, since, calls }) => {
      const server = servers.find((each) => each.path === path && (profile === null || each.profile === profile));
      return [
        printable(client ?? `process ${pid}`),
        printable(`${server?.name ?? path}${profile === null ? '' : ` (${profile})`}`),
        printable(userName ?? '-'),
        clockTime(Date.parse(since), Date.now()),
        String(calls.inFlight),
        String(calls.done),
        String(calls.failed),
      ];
    }),
    width,
    heads,
  );
}

function serverLine({ name, profile, message, remedy }: Status['servers'][number]): string {
  return `${name} (${profile}): ${sentences(message, remedy)}`;
}

/** One line for a client with one file, else one for each file. */
function clientLines({ name, files, problem }: Status['clients'][number]): string[] {
  if (problem !== null) return [`${name}: ${problem}`];
  return files.map((file) => {
    const states = shownEntries(file).map(([name, state]) => {
      const what = file.all.includes(name) ? `${name} (one entry for all servers)` : name;
      return `${what} ${STATE_TEXTS[state]}`;
    });
    const where = files.length > 1 ? ` (${file.path})` : '';
    return `${name}${where}: ${file.problem ?? (states.join(', ') || 'no entries')}`;
  });
}

function permissionLines(permissions: Status['permissions']): string[] {
  return 'error' in permissions
    ? [sentences(permissions.error.message, permissions.error.remedy)]
    : inEffectLines(permissions);
}

function warehouseLines(warehouse: Status['warehouse'], width: number | undefined): string[] {
  if (!('error' in warehouse)) return describeEffective(warehouse, [], false, width);
  return [sentences(warehouse.error.message, warehouse.error.remedy)];
}

/** What a command can find out about the application. */
export type Application = Status['application'];
type ClientSession = NonNullable<Application['sessions']>[number];

const NOT_RUNNING: Application = { running: false, pid: null, version: null, sessions: null, problem: null };

/** Asks the running application, over its private socket, which sessions it has. */
export async function askApplication(env: NodeJS.ProcessEnv): Promise<Application> {
  const found = lookUpHub(hubFolder(env));
  if (found.kind === 'none') return NOT_RUNNING;
  if (found.kind === 'untrusted') return { ...NOT_RUNNING, problem: `Its socket cannot be used: ${found.why}.` };
  const { rendezvous } = found;
  const { pid } = rendezvous;
  const ask = async () => {
    const answer = readSessions((await askHub(rendezvous, { question: 'sessions' })) ?? '');
    return answer && { ...NOT_RUNNING, running: true, pid, version: answer.version, sessions: sessionsOf(answer) };
  };
  const answered = await ask();
  if (answered) return answered;
  // An application that was killed leaves its file behind.
  if (!isProcessAlive(pid)) return NOT_RUNNING;
  const problem = `Process ${pid} does not respond on its socket.`;
  if (!(await isHubAlive(rendezvous))) return { ...NOT_RUNNING, pid, problem };
  // It was too busy, or closed the connection: an application that is alive is asked once more.
  return (await ask()) ?? { ...NOT_RUNNING, running: true, pid };
}

function sessionsOf({ sessions }: NonNullable<ReturnType<typeof readSessions>>): ClientSession[] {
  return sessions.map(
    ({ clientName, clientVersion, pid, profile, path, user, since, lastCallAt, open, done, failed }) => ({
      client: clientName === null ? null : displayNameOf(clientName),
      clientVersion,
      pid,
      profile: profile ?? null,
      path,
      userName: user,
      since: new Date(since).toISOString(),
      lastCallAt: lastCallAt === null ? null : new Date(lastCallAt).toISOString(),
      calls: { inFlight: open, done, failed },
    }),
  );
}

/** A configured server and its current state. */
export interface AskedServer extends ServerStatus {
  profile: string;
  status: ServerHealth['name'];
}

/** Asks each configured server as an AI client would. The user is not asked to sign in. */
export async function askServers(context: CommandContext): Promise<AskedServer[]> {
  const { servers } = (await openServers(context.env)).initial;
  if (servers.length === 0) return [];
  const monitor = await context.causeway().monitorHealth(servers);
  monitor.probeAutomatically(false);
  const stop = () => void monitor.close();
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    const states = await monitor.recheck();
    return states.map(({ name, profile, path, health }) => {
      const kind = servers.find((server) => server.name === name)?.kind ?? 'other';
      const known = { name, profile, kind, path, status: health.name };
      // Nothing is asked again after this, so nothing is said about that.
      if ('problem' in health) {
        const { problem } = health;
        return { ...known, words: problem.message, remedy: remedyFor('command', problem) ?? null, problem };
      }
      const { sentence, remedy } = formatHealth(health, { profile, now: Date.now() });
      return { ...known, words: sentence, remedy };
    });
  } finally {
    context.signal.removeEventListener('abort', stop);
    await monitor.close();
  }
}
