import { MAX_RECORDED } from '../../../preload/contract/activity-contents.ts';
import type { Recording } from '../../../preload/contract.ts';
import type { ContentsRecorder } from '../../hub/session-record.ts';
import { isLocked, type Policy } from '../../permissions/policy/policy.ts';
import { systemPolicy } from '../../permissions/policy/system-policy.ts';

/** A request or an answer, possibly cut. */
export interface RecordedFrame {
  text: string;
  /** The whole size, and how many of these bytes are kept. */
  bytes: number;
  held: number;
}

export interface RecordedCall {
  request: RecordedFrame;
  /** Null until there is one. */
  answer: RecordedFrame | null;
}

/** The last requests and their answers, in memory only, bounded in number and size. */
export class RecordedContents implements ContentsRecorder {
  readonly #most: Record<keyof typeof MAX_RECORDED, number>;
  /** The oldest first. */
  readonly #calls = new Map<number, RecordedCall>();
  /** Numbers are never reused, so an old one cannot lead to a later call. */
  #last = 0;
  #bytes = 0;

  constructor(most: Record<keyof typeof MAX_RECORDED, number> = MAX_RECORDED) {
    this.#most = most;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** The bytes kept in all. */
  get bytes(): number {
    return this.#bytes;
  }

  at(number: number): RecordedCall | undefined {
    return this.#calls.get(number);
  }

  asked(request: Buffer): number {
    this.#last += 1;
    this.#calls.set(this.#last, { request: this.#keep(request), answer: null });
    this.#makeRoom();
    return this.#last;
  }

  answered(number: number, answer: Buffer): void {
    const call = this.#calls.get(number);
    if (!call || call.answer) return;
    call.answer = this.#keep(answer);
    this.#makeRoom();
  }

  clear(): void {
    this.#calls.clear();
    this.#bytes = 0;
  }

  #keep(frame: Buffer): RecordedFrame {
    const end = endWithin(frame, this.#most.bytesOfEach);
    this.#bytes += end;
    return { text: frame.toString('utf8', 0, end), bytes: frame.length, held: end };
  }

  #makeRoom(): void {
    for (const [number, { request, answer }] of this.#calls) {
      if (this.#calls.size <= this.#most.calls && this.#bytes <= this.#most.bytesInAll) return;
      this.#calls.delete(number);
      this.#bytes -= request.held + (answer?.held ?? 0);
    }
  }
}

/** How many of a frame's first bytes fit without splitting a character. */
function endWithin(frame: Buffer, most: number): number {
  if (frame.length <= most) return frame.length;
  let end = most;
  while (end > 0 && isContinued(frame[end])) end -= 1;
  return end;
}

/** Whether it is a UTF-8 continuation byte. */
function isContinued(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

const OFF: Recording = { status: 'off' };

/**
 * Whether contents are recorded, and the contents. They exist only while recording is on: when the user stops it or its
 * time is over, everything is deleted. Nothing is written to disk.
 */
export class ContentsRecording {
  readonly contents = new RecordedContents();
  readonly #show: (recording: Recording) => void;
  #state: Recording = OFF;
  #timer: NodeJS.Timeout | undefined;

  constructor(show: (recording: Recording) => void) {
    this.#show = show;
  }

  /** Where the hub passes frames to now; undefined while recording is off. */
  get recorder(): ContentsRecorder | undefined {
    return this.#state.status === 'on' && !isForbidden(systemPolicy().current) ? this.contents : undefined;
  }

  /** Starts recording, or extends it by so long; null means until the application quits. */
  start(durationMs: number | null): void {
    const from = this.#state.status === 'on' ? (this.#state.until ?? Date.now()) : Date.now();
    this.#set({ status: 'on', until: durationMs === null ? null : from + durationMs });
  }

  /** Stops recording and deletes the contents. */
  stop(): void {
    this.contents.clear();
    this.#set(OFF);
  }

  /** Stops recording if its time is over, after the computer has slept or its clock was set. */
  lookAtClock(): void {
    if (this.#state.status === 'on' && this.#state.until !== null && Date.now() >= this.#state.until) this.stop();
  }

  /** Deletes the contents without an event: the application ends. */
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

/** Whether the organization does not want contents to be recorded. */
export function isForbidden(policy: Policy): boolean {
  return isLocked(policy, 'recordContents') && policy.keys.recordContents?.value !== true;
}
