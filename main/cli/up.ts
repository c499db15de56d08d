import { endsBySignIn } from '../../preload/contract/error-facts.ts';
import { isSqlServer } from '../../preload/contract/server-kinds.ts';
import { counted } from '../../preload/contract/words/count.ts';
import { addServer, type NewServer } from '../app/servers/change-list.ts';
import { bestSqlServer, checkServer, type ServerCheck } from '../app/servers/check-server.ts';
import type { Profile } from '../auth/auth.ts';
import { maySignIn } from '../auth/auth.ts';
import { parseHost } from '../auth/profiles/host.ts';
import type { ChangeOutcome } from '../clients/outcome.ts';
import { type ManagedServer, openServers } from '../clients/servers.ts';
import { asCausewayError, CausewayError } from '../platform/errors.ts';
import type { SeenQuery } from '../warehouses/seen-query.ts';
import { userSummary } from '../warehouses/users.ts';
import type { Answer } from './answers/answers.ts';
import { asWhom, type Place, placeOf } from './changed-where.ts';
import { changeAnswer } from './clients/change-answer.ts';
import { writeOutcome } from './clients/clients.ts';
import { openClients } from './clients/options.ts';
import type { CommandContext } from './command.ts';
import { exitCodeOfAll } from './failure.ts';
import { signInWithBrowser } from './login.ts';
import { agreeOrCancel, askLine, canAsk } from './question.ts';
import { describeServer, serverAnswer } from './servers/servers.ts';
import { openProgress, printable, writeAnswer, writeDone, writeLine, writeNotice } from './terminal.ts';

export interface UpOptions {
  profile?: string;
  client?: string[];
  /** False for `--no-browser`. */
  browser: boolean;
  deviceCode?: boolean;
  store?: 'keychain' | 'encrypted-file';
  dryRun?: boolean;
  yes?: boolean;
  force?: boolean;
  json?: boolean;
}

/**
 * `causeway up [ADDRESS]`: from nothing to a query in an AI client. Each step that is done already is passed over, so that it can be
 * run again wherever it stopped; nothing but the sign-in is kept before the user has seen the rest and agreed.
 */
export async function up(context: CommandContext, address: string | undefined, options: UpOptions): Promise<void> {
  const { dryRun = false, json } = options;
  const place = await signedIn(context, await chosenWorkspace(context, address, options), options);
  const session = await context.causeway().open(place.profile);
  const plan = await planned(context, place.profile, options);
  if (!json) await show(context, place, plan);
  const isChanged = plan.isNew || plan.changes.some(({ result }) => result === 'would-change');
  let { changes } = plan;
  let query: SeenQuery | null = null;
  if (!dryRun) {
    if (isChanged) {
      await agreeOrCancel(context, 'Write this?', options.yes);
      changes = await written(context, plan, options);
    }
    const progress = openProgress(context, json || context.quiet);
    progress.say(`Running a query through ${plan.server.name}. A stopped warehouse starts first.`);
    const server = { path: plan.server.path, warehouseId: undefined };
    query = await session.warehouses.runSeenQuery(server, context.signal).finally(() => progress.end());
  }
  const failures = changes.flatMap(({ error }) => error ?? []);
  context.setExitCode(query?.succeeded === false ? 1 : exitCodeOfAll(failures));
  if (json) return writeAnswer(context, 'up', answerOf(place, { ...plan, changes }, query, dryRun));
  if (query) await report(context, query, changes);
}

/** A workspace to sign in to, by its address or a profile. */
type Workspace = { host: string; profile?: string | undefined } | { profile: Profile };

/** Which workspace: what was given, else what the Databricks CLI would choose, else what the user answers. */
async function chosenWorkspace(
  context: CommandContext,
  address: string | undefined,
  { profile: name }: UpOptions,
): Promise<Workspace> {
  if (address !== undefined) return { host: parseHost(address).host, profile: name };
  const auth = await context.causeway().auth();
  try {
    return { profile: await auth.profile(name) };
  } catch (error) {
    if (name !== undefined || !(error instanceof CausewayError)) throw error;
    if (!['profile_not_found', 'profile_unusable', 'ambiguous'].includes(error.code)) throw error;
    const usable = (await auth.profiles()).flatMap((entry) => (entry.usable ? [entry.profile] : []));
    // It is shown before anything is written.
    if (usable.length === 1 && usable[0]) return { profile: usable[0] };
    if (canAsk(context)) return asked(context, usable);
    throw new CausewayError('usage', 'It is not known which workspace to connect.', {
      remedy: 'Give its address: `causeway up https://YOUR-WORKSPACE.cloud.databricks.com`.',
      cause: error,
    });
  }
}

async function asked(context: CommandContext, usable: readonly Profile[]): Promise<Workspace> {
  for (const [at, { name, host }] of usable.entries()) {
    await writeLine(context.stderr, printable(`${at + 1}  ${host} (profile ${name})`));
  }
  const or = usable.length === 0 ? '' : ', or the number of one above';
  for (;;) {
    const answer = await askLine(context, `The address of your workspace, as your browser shows it${or}:`);
    const chosen = usable[Number(answer) - 1];
    if (chosen) return { profile: chosen };
    // A word such as "n" would be taken for the name of a host.
    if (!/[.:]/.test(answer)) {
      await writeLine(context.stderr, printable(`"${answer}" is not an address. Ctrl+C ends this.`));
      continue;
    }
    try {
      return { host: parseHost(answer).host };
    } catch (error) {
      await writeLine(context.stderr, printable(asCausewayError(error).message));
    }
  }
}

/** The workspace, once its user is signed in. @throws {CausewayError} what keeps them from it */
async function signedIn(context: CommandContext, workspace: Workspace, options: UpOptions): Promise<Place> {
  const auth = await context.causeway().auth();
  const profile =
    'host' in workspace
      ? (await auth.profilesOf(workspace.host)).find(({ name }) => (workspace.profile ?? name) === name)
      : workspace.profile;
  if (profile) {
    const { client } = await context.causeway().open(profile.name);
    try {
      const { user } = await client.users.me(context.signal);
      return { profile: profile.name, host: profile.host, user: userSummary(user) };
    } catch (error) {
      if (!endsBySignIn(asCausewayError(error).code) || !maySignIn(profile)) throw error;
    }
  }
  const where = profile?.host ?? ('host' in workspace ? workspace.host : '');
  if (options.dryRun) {
    throw new CausewayError('signed_out', `You are not signed in to ${where}. Nothing was done.`, {
      remedy: 'Run it without --dry-run to sign in. You are asked again before anything is written.',
    });
  }
  const name = profile?.name ?? options.profile;
  const signIn = await signInWithBrowser(context, {
    browser: options.browser,
    yes: options.yes === true,
    ...(options.deviceCode === undefined ? {} : { deviceCode: options.deviceCode }),
    ...(options.store === undefined ? {} : { store: options.store }),
    ...(profile ? {} : { host: where }),
    ...(name === undefined ? {} : { profile: name }),
  });
  return placeOf(context, await context.causeway().open(signIn.profile.name));
}

/** What would be done. */
interface UpPlan {
  server: ManagedServer;
  isNew: boolean;
  /** All servers of the list, with the new one. */
  servers: ManagedServer[];
  check: ServerCheck;
  /** Of the clients that were found, or named. */
  changes: ChangeOutcome[];
}

/** @throws {CausewayError} why no SQL server answers */
async function planned(context: CommandContext, profile: string, { client = [] }: UpOptions): Promise<UpPlan> {
  const causeway = context.causeway();
  const { servers } = (await openServers(context.env)).initial;
  const present = servers.find((server) => server.profile === profile && isSqlServer(server.path));
  const sql = present ? undefined : await bestSqlServer(causeway, profile, context.signal);
  const check = sql?.check ?? (await checkServer(causeway, { profile, path: present?.path ?? '' }, context.signal));
  if (check.error) throw check.error;
  const server = present ?? (await addServer(causeway, newServer(profile, sql), { dryRun: true })).server;
  const all = present ? servers : [...servers, server];
  const changes = await openClients(context, {}).add(client, all, { dryRun: true, insteadOfAll: false });
  return { server, isNew: present === undefined, servers: all, check, changes };
}

function newServer(profile: string, sql: { path: string; paths: readonly string[] } | undefined): NewServer {
  return { profile, path: sql?.path ?? '', paths: sql?.paths };
}

async function show(context: CommandContext, place: Place, plan: UpPlan): Promise<void> {
  const { server, isNew, check, changes } = plan;
  const tools = counted(check.tools ?? 0, 'tool');
  await writeDone(context, `Connected to ${asWhom(place)}.`);
  await writeDone(context, `${isNew ? 'New server' : 'Server'} ${describeServer(server)}: ${tools}.`);
  if (changes.length === 0) await writeNotice(context, 'No AI clients were found on this computer.');
  const done = changes.filter(({ result }) => result === 'unchanged').map(({ name }) => name);
  if (done.length > 0) await writeDone(context, `Set up already: ${done.join(', ')}.`);
  for (const outcome of changes) if (outcome.result !== 'unchanged') await writeOutcome(context, outcome, true);
}

async function written(
  context: CommandContext,
  { server, isNew, servers }: UpPlan,
  { client = [], force, json }: UpOptions,
): Promise<ChangeOutcome[]> {
  if (isNew) await addServer(context.causeway(), server);
  const change = { replace: force, whileRunning: force, insteadOfAll: false };
  const outcomes = await openClients(context, {}).add(client, servers, change);
  if (json) return outcomes;
  if (isNew) await writeDone(context, `Added ${describeServer(server)}`);
  for (const outcome of outcomes) if (outcome.result !== 'unchanged') await writeOutcome(context, outcome, false);
  return outcomes;
}

async function report(context: CommandContext, query: SeenQuery, changes: readonly ChangeOutcome[]): Promise<void> {
  const seconds = `${(query.tookMs / 1_000).toFixed(1)} s`;
  if (!query.succeeded) {
    return writeLine(context.stderr, printable(`The query failed after ${seconds}: ${query.explanation}`));
  }
  const where = query.warehouse
    ? `on ${query.warehouse.name}`
    : '. The query history does not show on which warehouse; `causeway warehouse` says which it should be';
  await writeDone(context, printable(`SELECT 1 ran ${where} (${seconds}).`));
  const ready = changes.filter(({ result }) => result === 'written' || result === 'unchanged').map(({ name }) => name);
  const names = ready.length === 0 ? 'any MCP client' : ready.join(' or ');
  await writeDone(context, `Now ask in ${names}: "Which tables can I query?"`);
}

function answerOf(
  { profile, host, user }: Place,
  { server, isNew, check, changes }: UpPlan,
  query: SeenQuery | null,
  dryRun: boolean,
): Answer<'up'> {
  return {
    dryRun,
    profile,
    host,
    userName: user && (user.userName || user.id),
    server: serverAnswer(server),
    isNew,
    tools: check.tools ?? 0,
    changes: changes.map(changeAnswer),
    query: query && {
      succeeded: query.succeeded,
      explanation: query.explanation,
      statementId: query.id ?? null,
      tookMs: query.tookMs,
      warehouse: query.warehouse,
    },
  };
}
