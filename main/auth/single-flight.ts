import { cancelled } from './host-fetch.ts';

/** Runs one piece of work at a time: callers that arrive while it runs share its outcome. */
export class SingleFlight<T> {
  #running: Promise<T> | undefined;

  /** One caller's signal ends that caller's wait; the shared work continues for the others. */
  run(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#running ??= work().finally(() => {
      this.#running = undefined;
    });
    return unlessAborted(this.#running, signal);
  }
}

/** Waits for a promise or for a signal, whichever is first. @throws {CausewayError} `cancelled` */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  if (signal.aborted) {
    promise.catch(() => undefined);
    throw cancelled(signal);
  }
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(cancelled(signal));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
