import type { App } from '../model.ts';

/** Starts and stops apps over time: first the compute, then the app on it. */
export class AppTransitions {
  readonly #timers = new Map<App, NodeJS.Timeout>();
  #stepMs: number;

  constructor(stepMs: number) {
    this.#stepMs = stepMs;
  }

  start(app: App): void {
    app.computeState = 'STARTING';
    this.#after(app, () => {
      app.computeState = 'ACTIVE';
      app.appState = 'DEPLOYING';
      this.#after(app, () => {
        app.appState = 'RUNNING';
      });
    });
  }

  stop(app: App): void {
    app.computeState = 'STOPPING';
    app.appState = 'UNAVAILABLE';
    this.#after(app, () => {
      app.computeState = 'STOPPED';
    });
  }

  /** Forgets what was under way: called when the world is replaced and when the workspace closes. */
  reset(stepMs: number): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#stepMs = stepMs;
  }

  #after(app: App, change: () => void): void {
    clearTimeout(this.#timers.get(app));
    this.#timers.set(app, setTimeout(change, this.#stepMs).unref());
  }
}
