import type { Profile, ProfileEntry } from '../../auth/auth.ts';
import type { Causeway } from '../../causeway.ts';
import { CausewayError, inOneLine } from '../../platform/errors.ts';
import { standing } from '../../workspace/standing.ts';
import type { CommandContext } from '../command.ts';
import { columns, printable, writeJson, writeLine } from '../print.ts';
import { asDate } from './login.ts';
import { METHOD_WORDS } from './whoami.ts';

export interface ProfilesOptions {
  json?: boolean;
  skipValidate?: boolean;
}

interface Row {
  name: string;
  host: string | null;
  method: Profile['method'] | null;
  default: boolean;
  state:
    | 'ready'
    | 'signed in'
    | 'signed out'
    | 'refused'
    | 'no access'
    | 'unreachable'
    | 'failed'
    | 'not checked'
    | 'unusable';
  userName: string | null;
  expiresAt: string | null;
  /** What is wrong and what to do; null where nothing is. */
  message: string | null;
}

/** How long the slowest workspace may take, in milliseconds. */
const PATIENCE_MS = 15_000;

/** `causeway profiles`: every profile, with what its workspace says unless that is not wanted. */
export async function profiles(context: CommandContext, options: ProfilesOptions): Promise<void> {
  const causeway = context.causeway();
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const entries = await (await causeway.auth()).profiles();
  const rows = await Promise.all(
    entries.map((entry) => describe(causeway, entry, options.skipValidate === true, signal)),
  );
  context.signal.throwIfAborted();
  if (options.json) return writeJson(context.stdout, rows);
  if (rows.length === 0) {
    return writeLine(
      context.stderr,
      'There are no profiles. Sign in with: causeway login --host https://YOUR-WORKSPACE',
    );
  }
  const table = rows.map((row) => [
    `${row.default ? '*' : ' '} ${row.name}`,
    row.host ?? '-',
    row.method === null ? '-' : METHOD_WORDS[row.method],
    row.state,
    row.userName ?? '-',
    row.expiresAt ?? '-',
  ]);
  for (const line of columns([['  PROFILE', 'HOST', 'METHOD', 'STATE', 'WHO', 'EXPIRES'], ...table])) {
    await writeLine(context.stdout, printable(line));
  }
  for (const { name, message } of rows) {
    if (message !== null) await writeLine(context.stderr, printable(`${name}: ${message}`));
  }
}

async function describe(
  causeway: Causeway,
  entry: ProfileEntry,
  skipValidate: boolean,
  signal: AbortSignal,
): Promise<Row> {
  const row = { name: entry.name, default: entry.isDefault, userName: null, expiresAt: null, message: null };
  if (!entry.usable) {
    return { ...row, host: entry.host ?? null, method: null, state: 'unusable', message: entry.message };
  }
  const { profile } = entry;
  const known: Row = { ...row, host: profile.host, method: profile.method, state: 'not checked' };
  try {
    const found = skipValidate ? undefined : await standing((await causeway.open(profile.name)).client.users, signal);
    if (found?.state === 'refused')
      return { ...known, state: refusedState(found.error), message: inOneLine(found.error) };
    if (found?.state === 'forbidden') return { ...known, state: 'no access', message: inOneLine(found.error) };
    if (found?.state === 'not-asked') return { ...known, state: 'unreachable', message: inOneLine(found.error) };
    const userName = found?.userName;
    const state = await (await causeway.auth()).signInState(profile);
    if (state.state === 'signed-in') {
      return {
        ...known,
        state: 'signed in',
        userName: userName ?? state.userName ?? null,
        expiresAt: asDate(state.expiresAt),
      };
    }
    if (state.state === 'signed-out') return { ...known, state: 'signed out' };
    return { ...known, state: skipValidate ? 'not checked' : 'ready', userName: userName ?? null };
  } catch (error) {
    const isLate = error instanceof CausewayError && error.code === 'cancelled';
    return { ...known, state: isLate ? 'unreachable' : 'failed', message: inOneLine(error) };
  }
}

/** Whether there was a token at all that could be refused. */
function refusedState({ code }: CausewayError): Row['state'] {
  return code === 'unauthenticated' ? 'refused' : 'signed out';
}
