import { displayNameOf } from '../../clients/table.ts';
import { askForSessions, isHubAlive } from '../../hub/attach.ts';
import { hubFolder, lookUpHub } from '../../hub/rendezvous.ts';
import { readSessions } from '../../hub/server.ts';
import { isProcessAlive } from '../../platform/process-alive.ts';

/** The application, as far as a command can see it. */
export interface Application {
  running: boolean;
  pid: number | null;
  /** Null where it is not running, or too old to say. */
  version: string | null;
  /** The sessions of AI clients that go through it; null where it is not running, or too old to say. */
  sessions: ClientSession[] | null;
  /** Why it is of no use though its file is there. */
  problem: string | null;
}

/** One AI client's session with one server. */
interface ClientSession {
  /** The client's name as users know it; null until it has said one. */
  client: string | null;
  clientVersion: string | null;
  /** The process of `causeway proxy`. */
  pid: number;
  /** Null where the client's entry names none. */
  profile: string | null;
  path: string;
  /** When it began, and when its last request came, in ISO 8601. */
  since: string;
  lastCallAt: string | null;
  calls: { inFlight: number; done: number; failed: number };
}

const NOT_RUNNING: Application = { running: false, pid: null, version: null, sessions: null, problem: null };

/** Asks the running application, over its private socket, which sessions it has. */
export async function askApplication(env: NodeJS.ProcessEnv): Promise<Application> {
  const found = lookUpHub(hubFolder(env));
  if (found.kind === 'none') return NOT_RUNNING;
  if (found.kind === 'untrusted') return { ...NOT_RUNNING, problem: `Its socket is not used: ${found.why}.` };
  const { rendezvous } = found;
  const { pid } = rendezvous;
  const answer = readSessions((await askForSessions(rendezvous)) ?? '');
  if (answer) return { ...NOT_RUNNING, running: true, pid, version: answer.version, sessions: sessionsOf(answer) };
  // One that was killed leaves its file behind.
  if (!isProcessAlive(pid)) return NOT_RUNNING;
  if (await isHubAlive(rendezvous)) return { ...NOT_RUNNING, running: true, pid };
  return { ...NOT_RUNNING, pid, problem: `Process ${pid} does not answer on its socket.` };
}

function sessionsOf({ sessions }: NonNullable<ReturnType<typeof readSessions>>): ClientSession[] {
  return sessions.map(({ clientName, clientVersion, pid, profile, path, since, lastCallAt, open, done, failed }) => ({
    client: clientName === null ? null : displayNameOf(clientName),
    clientVersion,
    pid,
    profile: profile ?? null,
    path,
    since: new Date(since).toISOString(),
    lastCallAt: lastCallAt === null ? null : new Date(lastCallAt).toISOString(),
    calls: { inFlight: open, done, failed },
  }));
}
