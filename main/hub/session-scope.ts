import { AsyncLocalStorage } from 'node:async_hooks';

/** Ends one client's session because of an error that nothing inside it has handled. */
type EndSession = (error: unknown) => void;

const sessions = new AsyncLocalStorage<EndSession>();

/** Runs what serves one client, so that `endSessionBehind` finds the client again from whatever that starts. */
export function asSession<T>(end: EndSession, work: () => T): T {
  return sessions.run(end, work);
}

/**
 * Ends the session in which an uncaught error has arisen, and tells whether there is one; for the process's last-resort
 * handlers of `uncaughtException` and `unhandledRejection`, if a timer's or a stream's callback has thrown.
 */
export function endSessionBehind(error: unknown): boolean {
  const end = sessions.getStore();
  end?.(error);
  return end !== undefined;
}
