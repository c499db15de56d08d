import { type NotedEvent, onNotedEvent } from '../platform/noted-events.ts';
import { configFolder } from '../platform/paths.ts';
import { isMarked } from '../platform/removal.ts';
import type { StoredEvent } from './store.ts';

/** How long a write of another process is waited for, in milliseconds. */
const BUSY_MS = 1_000;

/** What a process tells of besides calls, as it is stored. @param at in milliseconds since the epoch */
function storedEvent({ event, facts }: NotedEvent, at = Date.now()): StoredEvent {
  const { client, file, what, profile, workspace, ...rest } = facts;
  const subject = [file, what, profile, workspace].find((fact) => typeof fact === 'string');
  return {
    at,
    kind: event,
    client: typeof client === 'string' ? client : null,
    subject: String(subject ?? ''),
    outcome: JSON.stringify(rest),
  };
}

/** Hears what happens in this home folder, besides calls. @returns a function that ends it */
export function onStoredEvent(env: NodeJS.ProcessEnv, listener: (event: StoredEvent) => void): () => void {
  return onNotedEvent((event, where) => {
    if (configFolder(where) === configFolder(env)) listener(storedEvent(event));
  });
}

/** Keeps what a command does, besides calls. Nothing is loaded or written before the function that it gives is called. */
export function keepEvents(env: NodeJS.ProcessEnv): () => Promise<void> {
  const events: StoredEvent[] = [];
  const end = onStoredEvent(env, (event) => void events.push(event));
  return async () => {
    end();
    // An uninstallation leaves nothing, also not that it was one.
    if (events.length > 0 && !isMarked(env)) await write(env, events);
  };
}

/** Never rejects: a change that was made is made. */
async function write(env: NodeJS.ProcessEnv, events: readonly StoredEvent[]): Promise<void> {
  try {
    const [{ keptDays }, { ActivityStore, activityFile }] = await Promise.all([
      import('./kept-days.ts'),
      import('./store.ts'),
    ]);
    if ((await keptDays(env)) === 0) return;
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
