import { onNotedEvent } from '../platform/noted-events.ts';
import { configFolder } from '../platform/paths.ts';
import { within } from '../platform/within.ts';
import type { Audit } from './audit.ts';
import type { Program } from './origin.ts';

/** How long the end of a process waits for a collector, in milliseconds. */
const LAST_WORDS_MS = 2_000;

/** The audit of a process's sign-ins and changes. */
export interface EventAudit {
  /** Audits what happens in this home folder. */
  of(env: NodeJS.ProcessEnv): void;
  /** Writes and sends what waits. Never rejects. */
  flush(): Promise<void>;
  /** The same, and hears no more. */
  close(): Promise<void>;
}

/**
 * Audits what happens besides calls in a process that has no audit of its own yet, as that is chosen for the home folder that it
 * happens in. Nothing is loaded before the first event.
 */
export function auditEvents(program: Program, complain: (words: string) => void): EventAudit {
  const folders = new Set<string>();
  const audits = new Map<string, Promise<Audit | undefined>>();
  const open = async (env: NodeJS.ProcessEnv) => {
    // Loading it can fail, for example where no more files can be opened.
    const loaded = await import('./audit.ts').catch(() => undefined);
    return loaded && new loaded.Audit(env, complain, program);
  };
  const end = onNotedEvent((event, env) => {
    const folder = configFolder(env);
    if (!folders.has(folder)) return;
    const at = Date.now();
    const opened = audits.get(folder) ?? open(env);
    audits.set(
      folder,
      opened.then((audit) => {
        audit?.note(event, at);
        return audit;
      }),
    );
  });
  const flush = async () => {
    const closed = Array.from(audits.values(), async (opened) => (await opened)?.close());
    await within(LAST_WORDS_MS, Promise.all(closed), undefined);
  };
  return {
    of: (env) => void folders.add(configFolder(env)),
    flush,
    close: () => {
      end();
      return flush();
    },
  };
}
