import { type ContentsRecorder, type HubCall, type HubSession, SessionRecord } from './session-record.ts';
import type { CallChoice, WireCall } from './wire.ts';

/** The shortest time between two lists of sessions, in milliseconds. */
const LIST_INTERVAL_MS = 250;

/** Callbacks about the hub's sessions. They must not throw and must be quick: frames wait meanwhile. */
export interface HubWatcher {
  /** Called with all sessions when one has changed, at most four times a second. */
  onSessions?(sessions: HubSession[]): void;
  /** A client's request has ended. */
  onCall?(call: HubCall): void;
  /** The last calls that have ended, the oldest first, for the command. */
  recentCalls?(choice: CallChoice): WireCall[];
  /** The command has changed an override in the workspace on this host. */
  onOverrideChanged?(host: string): void;
  /** There only while the user has contents recorded. */
  readonly recorder?: ContentsRecorder | undefined;
}

/** The hub's current sessions, reported to a watcher. */
export class SessionLog {
  readonly #watcher: HubWatcher;
  readonly #records = new Map<number, SessionRecord>();
  #lastSession = 0;
  #lastCall = 0;
  /** Set while a change waits before it is reported. */
  #pause: NodeJS.Timeout | undefined;
  #isStale = false;
  #settled: () => void = () => {};

  constructor(watcher: HubWatcher) {
    this.#watcher = watcher;
  }

  sessions(): HubSession[] {
    return Array.from(this.#records.values(), ({ session }) => session);
  }

  /** Resolves once no proxy waits for an answer that only this hub can give it. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#settled = () => {
        if (!Array.from(this.#records.values()).some(({ awaitsAnswer }) => awaitsAnswer)) resolve();
      };
      this.#settled();
    });
  }

  /** A record for a proxy that may be about to attach. */
  begin(of: Pick<HubSession, 'pid' | 'profile' | 'path'>): SessionRecord {
    this.#lastSession += 1;
    const watcher = this.#watcher;
    return new SessionRecord(
      { id: this.#lastSession, since: Date.now(), ...of },
      {
        call: (call) => {
          this.#lastCall += 1;
          watcher.onCall?.({ id: this.#lastCall, ...call });
        },
        changed: () => this.#changed(),
        get recorder() {
          return watcher.recorder;
        },
      },
    );
  }

  /** The proxy is attached. */
  add(record: SessionRecord): void {
    this.#records.set(record.session.id, record);
    this.#changed();
  }

  /** The proxy has gone. */
  remove(record: SessionRecord): void {
    record.ended();
    this.#records.delete(record.session.id);
    this.#changed();
  }

  #changed(): void {
    this.#settled();
    if (this.#pause) this.#isStale = true;
    else this.#tell();
  }

  #tell(): void {
    this.#isStale = false;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#isStale) this.#tell();
    }, LIST_INTERVAL_MS);
    this.#pause.unref();
    this.#watcher.onSessions?.(this.sessions());
  }
}
