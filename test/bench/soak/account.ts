interface Call {
  executed: number;
  /** Whether a fault left its client unable to know the outcome: only then, and if nothing ran, may it end in an error. */
  cut: boolean;
}

/**
 * Every call of a soak run: what the server executed against what the client was told. A call is lost when nobody answers
 * it, doubled when it runs or is answered twice, crossed when an answer or a frame reaches another client.
 */
export class Account {
  readonly #calls = new Map<string, Call>();
  /** Calls whose client was told that the outcome is unknown: they may still arrive at the server, once. */
  readonly #unknown = new Set<string>();
  readonly errors = new Map<string, number>();
  readonly faults = new Map<string, number>();
  readonly violations: string[] = [];
  calls = 0;
  results = 0;
  notifications = 0;
  /** Answers that took longer than anything the server does. */
  late = 0;
  /** Notices of proxies that the server had not answered yet. */
  notices = 0;

  sent(token: string): void {
    this.calls += 1;
    this.#calls.set(token, { executed: 0, cut: false });
  }

  executed(token: string): void {
    const call = this.#calls.get(token);
    if (!call && !this.#unknown.delete(token)) {
      this.violate(`crossed: the server ran ${token}, which nobody waits for`);
    }
    if (!call) return;
    call.executed += 1;
    if (call.executed > 1) this.violate(`doubled: ${token} ran ${call.executed} times`);
  }

  /** The server has run it and let nobody know. */
  cut(token: string): void {
    const call = this.#calls.get(token);
    if (call) call.cut = true;
  }

  /** What the application's end leaves open. */
  cutAllOpen(): void {
    for (const call of this.#calls.values()) call.cut = true;
  }

  ended(token: string, answered: { token: string } | { error: string }): void {
    const call = this.#calls.get(token);
    this.#calls.delete(token);
    if (!call) {
      this.violate(`doubled: ${token} was answered twice`);
      return;
    }
    if ('token' in answered) {
      this.results += 1;
      if (answered.token !== token) this.violate(`crossed: ${token} was given the answer to ${answered.token}`);
      if (call.executed === 0) this.violate(`crossed: ${token} was answered before it ran`);
      return;
    }
    count(this.errors, answered.error);
    if (call.cut && call.executed === 0) this.#unknown.add(token);
    if (call.executed > 0 && !call.cut) this.violate(`lost: ${token} ran, and its client was told: ${answered.error}`);
  }

  fault(name: string): void {
    count(this.faults, name);
  }

  violate(what: string): void {
    this.violations.push(`${(performance.now() / 1000).toFixed(0)} s: ${what}`);
  }

  /** The calls that nobody has answered. */
  get open(): number {
    return this.#calls.size;
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
