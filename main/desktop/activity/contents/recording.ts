import type { Recording } from '../../../../preload/contract.ts';
import type { ContentsRecorder } from '../../../hub/contents-recorder.ts';
import { RecordedContents } from './recorded-contents.ts';

const MINUTE = 60_000;
const OFF: Recording = { status: 'off' };

/**
 * Whether contents are recorded, and what was. Something is there only while this is on: its end, by the person or by the
 * clock, deletes everything, and nothing is ever written anywhere.
 */
export class ContentsRecording {
  readonly contents = new RecordedContents();
  readonly #show: (recording: Recording) => void;
  #state: Recording = OFF;
  #timer: NodeJS.Timeout | undefined;

  constructor(show: (recording: Recording) => void) {
    this.#show = show;
  }

  /** What the hub may show frames to just now. */
  get recorder(): ContentsRecorder | undefined {
    return this.#state.status === 'on' ? this.contents : undefined;
  }

  /** Begins, or goes on for so many minutes more than were left; null means until the application quits. */
  start(minutes: number | null): void {
    const from = this.#state.status === 'on' ? (this.#state.until ?? Date.now()) : Date.now();
    this.#set({ status: 'on', until: minutes === null ? null : from + minutes * MINUTE });
  }

  /** Ends it and deletes what was recorded. */
  stop(): void {
    this.contents.clear();
    this.#set(OFF);
  }

  /** The computer has slept or its clock was set: the time may be over. */
  lookAtClock(): void {
    if (this.#state.status === 'on' && this.#state.until !== null && Date.now() >= this.#state.until) this.stop();
  }

  /** Deletes what was recorded, and tells nobody: the application ends. */
  close(): void {
    clearTimeout(this.#timer);
    this.#state = OFF;
    this.contents.clear();
  }

  #set(state: Recording): void {
    clearTimeout(this.#timer);
    this.#state = state;
    if (state.status === 'on' && state.until !== null) {
      this.#timer = setTimeout(() => this.stop(), state.until - Date.now());
      this.#timer.unref();
    }
    this.#show(state);
  }
}
