import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { FlowControl } from '../../../main/bridge/back-pressure.ts';
import { exchange, type HttpOutcome } from '../../../main/bridge/http-exchange.ts';
import { CollectingSink, NO_CONNECTION } from '../../integration/bridge/harness.ts';

const FRAME = '{"jsonrpc":"2.0","id":1,"result":{}}';

interface Answered {
  outcome: HttpOutcome;
  /** What `onFrame` had been given when undici had told of the answer's end, and nobody had heard of the outcome. */
  atItsEnd: string[];
}

/** Answers one exchange with this status, type and body, in the pieces given. */
async function answered(atOnce: boolean, type: string, pieces: string[], status = 200): Promise<Answered> {
  const taken: string[] = [];
  let atItsEnd: string[] = [];
  const connections = {
    dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      handler.onRequestStart?.(NO_CONNECTION, {});
      handler.onResponseStart?.(NO_CONNECTION, status, { 'content-type': type }, '');
      for (const piece of pieces) handler.onResponseData?.(NO_CONNECTION, Buffer.from(piece));
      handler.onResponseEnd?.(NO_CONNECTION, {});
      atItsEnd = [...taken];
      return true;
    },
  };
  const outcome = await exchange(connections, new FlowControl(new CollectingSink()), {
    origin: 'https://acme.example',
    path: '/',
    method: 'POST',
    headers: {},
    onFrame: (frame) => taken.push(String(frame)),
    atOnce,
  });
  return { outcome, atItsEnd };
}

describe('a JSON response', () => {
  it('is the outcome', async () => {
    const { outcome, atItsEnd } = await answered(false, 'application/json', [FRAME]);
    expect(outcome).toMatchObject({ kind: 'frame', frame: Buffer.from(FRAME) });
    expect(atItsEnd).toEqual([]);
  });

  it('is passed on once, as soon as it is complete, if the caller asks for that', async () => {
    const { outcome, atItsEnd } = await answered(true, 'application/json', [FRAME.slice(0, 9), FRAME.slice(9)]);
    expect(atItsEnd).toEqual([FRAME]);
    expect(outcome).toMatchObject({ kind: 'streamed', head: { status: 200 }, place: { lastEventId: undefined } });
  });

  it.each([
    ['a page that is labeled as JSON', 'application/json', '<html>', 200, 'refused'],
    ['an error with a JSON body', 'application/json', FRAME, 500, 'refused'],
    ['nothing', 'application/json', '', 202, 'accepted'],
  ])('is not %s', async (_, type, body, status, kind) => {
    const { outcome, atItsEnd } = await answered(true, type, [body], status);
    expect(outcome.kind).toBe(kind);
    expect(atItsEnd).toEqual([]);
  });
});

it('an event is passed on as it arrives, whether or not the caller asks for that', async () => {
  for (const atOnce of [true, false]) {
    const { outcome, atItsEnd } = await answered(atOnce, 'text/event-stream', [`id: 7\ndata: ${FRAME}\n\n`]);
    expect(atItsEnd).toEqual([FRAME]);
    expect(outcome).toMatchObject({ kind: 'streamed', place: { lastEventId: '7' } });
  }
});
