import type { AuthService } from '../../auth/open.ts';
import type { ClientFacts } from '../../clients/client.ts';
import { hasAddress } from '../../clients/entry.ts';
import type { OwnEntry } from '../../clients/own-entries.ts';
import type { HostEnvironment } from '../../clients/places.ts';
import { isTurnedOff, startOf } from '../../clients/start.ts';
import { asCausewayError, CausewayError, sentences } from '../../platform/errors.ts';
import { signInStatus } from '../accounts.ts';
import { firstAnswers, USUAL_ANSWER_MS } from './first-answers.ts';

/** What a client will see of one server. */
export interface ClientTest {
  client: string;
  name: string;
  file: string;
  server: string;
  /** The names of the tools; empty if there is an error. */
  tools: string[];
  /** How long the client waited for them, and how long it waits at most, in milliseconds; null if it was not started. */
  tookMs: number | null;
  limitMs: number | null;
  /** Why the client will not see the server's tools; null if it will. */
  error: CausewayError | null;
}

export interface ClientTestOptions {
  environment: HostEnvironment;
  /** The folder that clients are taken to be started in. */
  folder: string;
  auth(): Promise<AuthService>;
  signal: AbortSignal;
}

/**
 * Tests entries one after the other, and tells of each as soon as it is known.
 * @throws {CausewayError} `not_found` if there is none, `cancelled`
 */
export async function testEntries(
  entries: readonly OwnEntry[],
  ids: readonly string[],
  options: ClientTestOptions,
  onTest?: (test: ClientTest) => Promise<void>,
): Promise<ClientTest[]> {
  if (entries.length === 0) throw nothingToTest(ids);
  const tests: ClientTest[] = [];
  for (const own of entries) {
    const test = await testEntry(own, options);
    tests.push(test);
    await onTest?.(test);
  }
  return tests;
}

function nothingToTest(ids: readonly string[]): CausewayError {
  const where = ids.length === 0 ? 'the AI clients on this computer' : ids.join(' and ');
  return new CausewayError('not_found', `There is no entry of Causeway to test in ${where}.`, {
    action: { do: 'connect-client' },
  });
}

/**
 * Starts what an entry starts, exactly as its client would: with the variables that the client hands on, in its folder, and no
 * longer than it waits. Opens no page and calls no tool of the server. Errors are part of the result.
 */
async function testEntry(own: OwnEntry, options: ClientTestOptions): Promise<ClientTest> {
  const { client, file, name: server } = own;
  const base = {
    client: client.id,
    name: client.name,
    file: file.path,
    server,
    limitMs: null,
    tookMs: null,
    tools: [],
  };
  try {
    const start = startable(own, options);
    const limitMs = start.answerMs ?? USUAL_ANSWER_MS;
    const { tools, tookMs, reason } = await firstAnswers(start, wireNameOf(client, server), options.signal).catch(
      (error: unknown) => {
        throw inWords(own, asCausewayError(error));
      },
    );
    const error = reason === null ? await signInError(own, tools, options) : unusable(own, reason);
    return { ...base, limitMs, tookMs, tools: error ? [] : tools, error };
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'cancelled') throw error;
    return { ...base, error: asCausewayError(error) };
  }
}

/** @throws {CausewayError} `usage` for an entry that starts nothing */
function startable({ client, file, name, entry }: OwnEntry, { environment, folder }: ClientTestOptions) {
  if (isTurnedOff(entry)) {
    throw new CausewayError('usage', `${client.name} will not see ${name}: it is turned off in ${file.path}.`, {
      remedy: `Turn it on in ${client.name}, then try again.`,
    });
  }
  const start = startOf(client, entry, environment, file.project ?? folder);
  if (start) return start;
  const reason = hasAddress(entry) ? 'the client connects and signs in itself' : 'its entry starts no program';
  throw new CausewayError('usage', `${name} in ${client.name} cannot be tested: ${reason}.`, {
    remedy: hasAddress(entry) ? `Look at its list of servers in ${client.name}.` : 'Repair the entry.',
  });
}

/** What the client calls itself when it starts this server. */
function wireNameOf({ id, wireNames }: ClientFacts, server: string): string {
  const name = wireNames[0] ?? id;
  return name.endsWith('-mcp-client') ? `${name}-${server}` : name;
}

function inWords({ client, name }: OwnEntry, error: CausewayError): CausewayError {
  if (error.code === 'cancelled') return error;
  const { code, message, remedy, action, cause } = error;
  return new CausewayError(code, sentences(`${client.name} will not see ${name}.`, message), { remedy, action, cause });
}

function unusable({ client, name }: OwnEntry, reason: string): CausewayError {
  return new CausewayError('unavailable', `${client.name} will not see the tools of ${name}. ${reason}`);
}

/** The tools of a server that was used before are listed without a sign-in, and `sign_in` alone where none is known. */
async function signInError(
  { client, name, target }: OwnEntry,
  tools: readonly string[],
  { auth }: ClientTestOptions,
): Promise<CausewayError | null> {
  const action = target && !('all' in target) ? ({ do: 'sign-in', profile: target.profile } as const) : undefined;
  const asksToSignIn = tools.some((tool) => /(^|_)sign_in$/.test(tool));
  if (asksToSignIn && tools.length === 1) {
    return new CausewayError(
      'signed_out',
      `${client.name} will see only the tool sign_in of ${name}: you are not signed in.`,
      {
        action,
      },
    );
  }
  if (!action) return null;
  const service = await auth();
  const entry = (await service.profiles()).find((profile) => profile.name === action.profile);
  if (!entry || (await signInStatus(service, entry)).status !== 'signed-out') return null;
  return new CausewayError(
    'signed_out',
    `${client.name} will see the tools of ${name} that it saw last, but its calls fail: you are not signed in.`,
    { action },
  );
}
