import { CausewayError } from '../../platform/errors.ts';
import type { MonitoredServer } from './health.ts';
import { newWatch, nextWatch, type ServerHealth, type Watch, type WatchEvent } from './health.ts';
import type { AskOptions, McpSession, ServerTool, ToolResult } from './mcp-session.ts';

/** What a watched server depends on. */
export interface MonitorDeps {
  connect(server: MonitoredServer, onToolsChanged: () => void): Promise<McpSession>;
  /** Milliseconds since 1970. */
  now(): number;
  /** A number from 0 to 1. */
  random(): number;
  /** Its health is different now. */
  changed(): void;
  /** A probe has ended. */
  idle(): void;
}

/** A probe in flight. */
interface Probe {
  abort: AbortController;
  /** Called when it has its answer. */
  waiting: (() => void)[];
  /** Whether something changed meanwhile, so that its answer may be out of date. */
  isOutdated: boolean;
}

/** One configured server: its session, and what is known about it. */
export class WatchedServer {
  readonly server: MonitoredServer;
  readonly #deps: MonitorDeps;
  #watch: Watch;
  #session: Promise<McpSession> | undefined;
  #probe: Probe | undefined;
  /** Whether a check was requested, or no probe has ended yet. */
  #isWanted = true;
  #tools: ServerTool[] = [];
  /** Called when the next probe to begin has its answer. */
  #waiting: (() => void)[] = [];

  constructor(server: MonitoredServer, deps: MonitorDeps) {
    this.server = server;
    this.#deps = deps;
    this.#watch = newWatch(deps.now());
  }

  get health(): ServerHealth {
    return this.#watch.health;
  }

  /** When it is to be asked next, in milliseconds since 1970. */
  get due(): number | null {
    return this.#watch.due;
  }

  /** Whether it is probed even if nothing is probed automatically. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  get isBusy(): boolean {
    return this.#probe !== undefined;
  }

  /** Resolves when the next probe to begin has its answer. */
  checked(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  apply(event: WatchEvent): void {
    if (event.name === 'asked' || event.name === 'sign-in-ended') this.#isWanted = true;
    const before = this.#watch;
    this.#watch = nextWatch(before, event);
    if (this.#probe && this.#watch !== before) this.#probe.isOutdated = true;
    if (this.#watch.health !== before.health) this.#deps.changed();
  }

  /** Asks the server for its tools. */
  probe(): void {
    const probe: Probe = { abort: new AbortController(), waiting: this.#waiting.splice(0), isOutdated: false };
    this.#probe = probe;
    this.#isWanted = false;
    void this.#ask(probe.abort.signal).then((event) => {
      if (this.#probe !== probe) return;
      this.#probe = undefined;
      const due = probe.isOutdated ? this.#watch.due : null;
      this.apply(event);
      if (due !== null) this.#watch = { ...this.#watch, due };
      for (const resolve of probe.waiting) resolve();
      this.#deps.idle();
    });
  }

  /** Aborts the probe in flight: its answer would be stale. */
  interrupt(): void {
    if (!this.#probe) return;
    this.#probe.abort.abort(new CausewayError('cancelled', 'The request was abandoned.'));
    this.#waiting.push(...this.#probe.waiting);
    this.#probe = undefined;
    this.#release();
  }

  /** @throws {CausewayError} why it is not ready */
  tools(): ServerTool[] {
    const { health } = this;
    if ('checkedAt' in health) return this.#tools;
    if ('problem' in health) throw health.problem;
    throw new CausewayError('signed_out', 'The server is not connected yet.', {
      remedy: 'Finish signing in with the browser.',
    });
  }

  async call(tool: string, args: Record<string, unknown>, options: AskOptions): Promise<ToolResult> {
    return (await this.#open()).call(tool, args, options);
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.interrupt();
    for (const resolve of this.#waiting.splice(0)) resolve();
    await session?.then(
      (open) => open.close(),
      () => undefined,
    );
  }

  async #ask(signal: AbortSignal): Promise<WatchEvent> {
    const opening = this.#open();
    try {
      const tools = await (await opening).tools(signal);
      this.#tools = tools;
      return { name: 'answered', tools: tools.length, at: this.#deps.now(), random: this.#deps.random() };
    } catch (error) {
      // The next probe opens a new session: the profile, the path or the network may have changed by then.
      if (this.#session === opening) this.#release();
      return { name: 'failed', error, at: this.#deps.now(), random: this.#deps.random() };
    }
  }

  #open(): Promise<McpSession> {
    this.#session ??= this.#deps.connect(this.server, () =>
      this.apply({ name: 'tools-changed', at: this.#deps.now() }),
    );
    return this.#session;
  }

  #release(): void {
    const session = this.#session;
    this.#session = undefined;
    void session?.then(
      (open) => open.retire(),
      () => undefined,
    );
  }
}
