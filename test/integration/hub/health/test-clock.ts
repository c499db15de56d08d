import type { Clock } from '../../../../main/hub/health/monitor.ts';

/** A clock that moves when it is told to. */
export class TestClock implements Clock {
  #now = Date.UTC(2026, 0, 1);
  #timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** How many wait. */
  get waiting(): number {
    return this.#timers.length;
  }

  /** Time passes, and anyone who waits is called at their time. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const [first] = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!first) break;
      this.#timers = this.#timers.filter((other) => other !== first);
      this.#now = Math.max(this.#now, first.at);
      first.callback();
    }
    this.#now = end;
  }
}
