import { CausewayError } from '../platform/errors.ts';

/** Work that the window has started and may cancel, each under the id that the window has given it. */
export class Jobs {
  readonly #running = new Map<string, AbortController>();

  /** Runs the work; its signal is aborted when the job is cancelled. */
  async run<T>(job: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const control = new AbortController();
    this.#running.set(job, control);
    try {
      return await work(control.signal);
    } finally {
      this.#running.delete(job);
    }
  }

  /** Nothing happens to one that has ended on its own. */
  cancel(job: string): void {
    this.#running.get(job)?.abort(new CausewayError('cancelled', 'Canceled.'));
  }
}
