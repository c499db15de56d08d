import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import type { BehaviorName } from '../behaviors.ts';
import { isEventStream } from './answers.ts';

/** The answers of the MCP servers as less careful servers write them: event streams that are barely such, ids as text. */

export function asItIsWritten(answer: Response, method: string, behaviors: ReadonlySet<BehaviorName>): Response {
  const withTextIds = behaviors.has('textIds');
  if (!isEventStream(answer)) return withTextIds ? withIds(answer) : answer;
  if (answer.body === null || !behaviors.has('untidyStreams')) return answer;
  // A listening stream does not end: nothing in it may wait for its end.
  const writer = method === 'GET' ? new UntidyEvents(0) : new UntidyEvents(HOLD_MS);
  const body = answer.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .pipeThrough(new TransformStream(withTextIds ? writer.withIds() : writer))
    .pipeThrough(new TextEncoderStream());
  return new Response(body, { status: answer.status, headers: answer.headers });
}

/** How long a frame may wait for another to share an event with. */
const HOLD_MS = 15;

class UntidyEvents implements Transformer<EventSourceMessage, string> {
  readonly #holdMs: number;
  #changed: (frame: string) => string = (frame) => frame;
  #held: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(holdMs: number) {
    this.#holdMs = holdMs;
  }

  withIds(): this {
    this.#changed = withTextId;
    return this;
  }

  start(controller: TransformStreamDefaultController<string>): void {
    controller.enqueue('\ufeff: ready\r\n\r\n');
  }

  transform({ id, data }: EventSourceMessage, controller: TransformStreamDefaultController<string>): void {
    const frame = this.#changed(data);
    // An event that a client may come back for stays one event.
    if (id !== undefined || frame === '' || this.#holdMs === 0) {
      this.#release(controller);
      controller.enqueue(`${id === undefined ? '' : `id:${id}\r\n`}data:${frame}\r\n\r\n`);
      return;
    }
    this.#held.push(frame);
    this.#timer ??= setTimeout(() => this.#release(controller), this.#holdMs);
  }

  flush(controller: TransformStreamDefaultController<string>): void {
    clearTimeout(this.#timer);
    if (this.#held.length > 0) controller.enqueue(`: the last\r\n${linesOf(this.#held)}`);
  }

  #release(controller: TransformStreamDefaultController<string>): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#held.length > 0) controller.enqueue(`${linesOf(this.#held)}\r\n`);
    this.#held = [];
  }
}

function linesOf(frames: readonly string[]): string {
  return frames.map((frame) => `data: ${frame}\r\n`).join('');
}

const Answer = z.looseObject({ id: z.number(), method: z.undefined().optional() });

function withTextId(frame: string): string {
  if (frame === '') return frame;
  const parsed = Answer.safeParse(JSON.parse(frame)).data;
  return parsed ? JSON.stringify({ ...parsed, id: String(parsed.id) }) : frame;
}

function withIds(answer: Response): Response {
  if (answer.body === null || answer.status !== 200) return answer;
  const body = answer.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new TransformStream<string, string>(new WholeText(withTextId)))
    .pipeThrough(new TextEncoderStream());
  return new Response(body, { status: answer.status, headers: answer.headers });
}

class WholeText implements Transformer<string, string> {
  readonly #change: (text: string) => string;
  #text = '';

  constructor(change: (text: string) => string) {
    this.#change = change;
  }

  transform(chunk: string): void {
    this.#text += chunk;
  }

  flush(controller: TransformStreamDefaultController<string>): void {
    controller.enqueue(this.#change(this.#text));
  }
}
