import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readEnvelope } from '../../../main/bridge/frame/frame.ts';
import { PendingRequest } from '../../../main/bridge/pending-request.ts';
import { ProgressReports } from '../../../main/bridge/progress.ts';
import { CollectingSink } from '../../integration/bridge/harness.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function waiting(request: string) {
  const sink = new CollectingSink();
  const reports = new ProgressReports(sink);
  const frame = Buffer.from(request);
  const envelope = readEnvelope(frame);
  if (envelope.kind === 'invalid') throw new Error(envelope.message);
  const pending = new PendingRequest(frame, envelope);
  reports.began(pending);
  const told = () => sink.frames.map((each) => JSON.parse(String(each)).params.progress);
  const passing = (progress: number, token = '"t"') => {
    const text = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":${progress}}}`;
    return JSON.parse(String(reports.adjusted(Buffer.from(text), JSON.parse(text)))).params.progress;
  };
  return { sink, reports, pending, told, passing };
}

const call = (token: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":${token}}}}`;

describe('a call that waits for the user', () => {
  it('is reported at once and repeatedly, and later progress of its request continues from there', () => {
    const sink = new CollectingSink();
    const reports = new ProgressReports(sink);
    const frame = Buffer.from(call('"t"'));
    const end = reports.askingUser(frame);
    vi.advanceTimersByTime(13_000);
    end();
    vi.advanceTimersByTime(30_000);
    const envelope = readEnvelope(frame);
    if (envelope.kind === 'invalid') throw new Error(envelope.message);
    reports.began(new PendingRequest(frame, envelope));
    vi.advanceTimersByTime(13_000);
    const told = sink.frames.map((each) => JSON.parse(String(each)).params);
    expect(told.map(({ progress }) => progress)).toEqual([0.001, 0.002, 0.003]);
    expect(told.map(({ message }) => message)).toEqual([
      'Waiting for the user to allow this call in Causeway.',
      'Waiting for the user to allow this call in Causeway.',
      'Still waiting for a response after 12 s.',
    ]);
  });

  it('is not reported if the client sent no progress token', () => {
    const sink = new CollectingSink();
    const end = new ProgressReports(sink).askingUser(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call"}'));
    vi.advanceTimersByTime(60_000);
    end();
    expect(sink.frames).toEqual([]);
  });
});

describe('a client that sent a progress token', () => {
  it.each(['"t"', '7', '18446744073709551617'])('receives progress while it waits, under its own token %s', (token) => {
    const { sink } = waiting(call(token));
    vi.advanceTimersByTime(40_000);
    expect(sink.frames).toHaveLength(3);
    expect(String(sink.frames[0])).toContain(`"progressToken":${token},"progress":0.001,"message":"Still waiting`);
  });

  it('sees progress that only increases, and none from the bridge once the server sends its own', () => {
    const { told, passing } = waiting(call('"t"'));
    vi.advanceTimersByTime(25_000);
    expect(told()).toEqual([0.001, 0.002]);
    expect([passing(0), passing(0), passing(1), passing(0.5), passing(2)]).toEqual([0.003, 0.004, 1, 1.001, 2]);
    vi.advanceTimersByTime(60_000);
    expect(told()).toHaveLength(2);
  });

  it("receives the server's own progress unchanged if the bridge has sent none", () => {
    const { passing } = waiting(call('"t"'));
    expect([passing(0), passing(0), passing(5, '"other"')]).toEqual([0, 0, 5]);
  });

  it.each<[name: string, end: (waiting_: ReturnType<typeof waiting>) => void]>([
    ['is answered', ({ reports, pending }) => reports.ended(pending)],
    ['has canceled its request', ({ reports }) => reports.cancelled('1')],
    ['does not read', ({ sink }) => sink.block()],
  ])('receives no more progress once it %s', (_name, end) => {
    const all = waiting(call('"t"'));
    end(all);
    vi.advanceTimersByTime(60_000);
    expect(all.told()).toEqual([]);
  });
});

it('a client that sent no progress token receives no progress', () => {
  const { told } = waiting('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"progressToken":1}}}');
  vi.advanceTimersByTime(60_000);
  expect(told()).toEqual([]);
});
