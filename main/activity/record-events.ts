import { hubFolder, lookUpHub } from '../hub/rendezvous.ts';
import { keptDays } from './kept-days.ts';
import { ActivityStore, activityFile, type StoredEvent } from './store.ts';

/** How long a write of another process is waited for, in milliseconds. */
const BUSY_MS = 1_000;

/** Keeps what a command has done, beside calls. Never rejects: a change that was made is made. */
export async function recordEvents(env: NodeJS.ProcessEnv, events: readonly StoredEvent[]): Promise<void> {
  if (events.length === 0 || (await keptDays(env)) === 0) return;
  try {
    const store = await ActivityStore.open(activityFile(env), { busyMs: BUSY_MS });
    try {
      store.addEvents(events);
    } finally {
      store.close();
    }
  } catch {
    // `causeway activity` says what is wrong with the file.
  }
}

/** The files of AI clients that were changed, by the clients' names. */
export function entryEvents(outcomes: readonly { name: string; file: string | null; result: string }[]): StoredEvent[] {
  const at = Date.now();
  return outcomes.flatMap(({ name, file, result }) =>
    result === 'written' ? { at, kind: 'entry', client: name, subject: file ?? 'its files', outcome: 'written' } : [],
  );
}

/** A change of permissions or of an override that a command has made while no application runs to see it. */
export async function recordOwnChange(
  env: NodeJS.ProcessEnv,
  { kind, subject }: Pick<StoredEvent, 'kind' | 'subject'>,
): Promise<void> {
  if (lookUpHub(hubFolder(env)).kind === 'found') return;
  await recordEvents(env, [{ at: Date.now(), kind, client: null, subject, outcome: 'changed by command' }]);
}
