import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callLines, exportedCalls } from '../../../main/desktop/activity/export-calls.ts';
import { contentsAsText, frameAsValue, readContents } from '../../../main/desktop/activity/read-contents.ts';
import { ContentsRecording, RecordedContents } from '../../../main/desktop/activity/recorded-contents.ts';
import type { ActivityCall, CallContents, Recording } from '../../../preload/contract.ts';
import { endedCall } from '../../ended-call.ts';

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const asked = (args: unknown) => ({ id: 1, method: 'tools/call', params: { name: 'query', arguments: args } });
const answer = (result: unknown) => ({ id: 1, result });

function recorded(request: unknown, given?: unknown): RecordedContents {
  const contents = new RecordedContents();
  const number = contents.asked(bytes(request));
  if (given !== undefined) contents.answered(number, bytes(given));
  return contents;
}

function read(request: unknown, given?: unknown): Extract<CallContents, { status: 'kept' }> {
  const contents = readContents(recorded(request, given).at(1));
  if (contents.status === 'deleted') throw new Error('Nothing was recorded.');
  return contents;
}

describe('the recorded contents of calls', () => {
  it('are each request with its answer, under its own number', () => {
    const contents = new RecordedContents();
    const [first, second] = [contents.asked(bytes('one')), contents.asked(bytes('two'))];
    contents.answered(second, bytes('to two'));
    expect(contents.at(first)).toEqual({ request: { text: 'one', bytes: 3, held: 3 }, answer: null });
    expect(contents.at(second)?.answer?.text).toBe('to two');
    expect(contents.bytes).toBe(3 + 3 + 6);
  });

  it('are a copy: their original buffers are reused afterwards', () => {
    const contents = new RecordedContents();
    const frame = bytes('as it was');
    const number = contents.asked(frame);
    frame.fill('x');
    expect(contents.at(number)?.request.text).toBe('as it was');
  });

  it('are only the beginning of long contents, with no character cut in half', () => {
    const contents = new RecordedContents({ calls: 9, bytesOfEach: 5, bytesInAll: 100 });
    const number = contents.asked(bytes('abcdé and more'));
    expect(contents.at(number)?.request).toEqual({ text: 'abcd', bytes: 15, held: 4 });
    contents.answered(number, bytes('12345'));
    expect(contents.at(number)?.answer).toEqual({ text: '12345', bytes: 5, held: 5 });
    expect(contents.bytes).toBe(9);
  });

  it('are those of the last calls: the oldest is dropped if there are too many or they are too large', () => {
    const few = new RecordedContents({ calls: 2, bytesOfEach: 10, bytesInAll: 100 });
    const numbers = ['a', 'b', 'c'].map((text) => few.asked(bytes(text)));
    expect(numbers.map((number) => few.at(number)?.request.text)).toEqual([undefined, 'b', 'c']);
    const small = new RecordedContents({ calls: 9, bytesOfEach: 10, bytesInAll: 15 });
    const [first, second] = [small.asked(bytes('12345')), small.asked(bytes('67890'))];
    small.answered(second, bytes('1234567890'));
    expect([small.at(first), small.at(second)?.answer?.held, small.bytes]).toEqual([undefined, 10, 15]);
    small.answered(first, bytes('late'));
    expect(small.size).toBe(1);
  });

  it('never exceed their limits, whatever arrives', () => {
    const contents = new RecordedContents();
    const [long, longer] = [Buffer.alloc(100_000, 'x'), Buffer.alloc(5_000_000, 'é')];
    for (let count = 0; count < 300; count += 1) {
      contents.answered(contents.asked(long), longer);
      expect(contents.bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
      expect(contents.size).toBeLessThanOrEqual(200);
    }
    expect(contents.bytes).toBeGreaterThan(15 * 1024 * 1024);
    contents.clear();
    expect([contents.size, contents.bytes]).toEqual([0, 0]);
  });

  it('are not confused with what was recorded under the same number before it was deleted', () => {
    const contents = new RecordedContents();
    const before = contents.asked(bytes('before'));
    contents.clear();
    contents.asked(bytes('after'));
    contents.answered(before, bytes('late'));
    expect(contents.at(before)).toBeUndefined();
    expect(contents.bytes).toBe(5);
  });
});

describe('the recording', () => {
  const shown: Recording[] = [];
  let recording: ContentsRecording;
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
    shown.length = 0;
    recording = new ContentsRecording((now) => shown.push(now));
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const minutes = (count: number) => count * 60_000;
  const record = (text: string) => recording.recorder?.asked(bytes(text));

  it('is off, and passes on no frames, until it is turned on', () => {
    expect(recording.recorder).toBeUndefined();
    recording.start(minutes(15));
    expect(recording.recorder).toBeDefined();
    expect(shown).toEqual([{ status: 'on', until: 1_000_000 + minutes(15) }]);
  });

  it('ends on its own when its time is over, and deletes its contents', () => {
    recording.start(minutes(15));
    record('something');
    vi.advanceTimersByTime(minutes(15) - 1);
    expect(recording.contents.size).toBe(1);
    vi.advanceTimersByTime(1);
    expect(recording.contents.size).toBe(0);
    expect(recording.recorder).toBeUndefined();
    expect(shown.at(-1)).toEqual({ status: 'off' });
  });

  it('is extended if the user asks for it, and keeps its contents', () => {
    recording.start(minutes(15));
    record('something');
    vi.advanceTimersByTime(minutes(10));
    recording.start(minutes(15));
    vi.advanceTimersByTime(minutes(19));
    expect(recording.contents.size).toBe(1);
    vi.advanceTimersByTime(minutes(1));
    expect(recording.contents.size).toBe(0);
  });

  it('continues without a limit until it is stopped, and is then deleted', () => {
    recording.start(null);
    record('something');
    vi.advanceTimersByTime(minutes(60 * 24 * 40));
    expect(recording.contents.size).toBe(1);
    recording.stop();
    expect(recording.contents.size).toBe(0);
    expect(shown.at(-1)).toEqual({ status: 'off' });
  });

  it('has ended if the computer wakes after its time is over', () => {
    recording.start(minutes(15));
    record('something');
    vi.setSystemTime(1_000_000 + minutes(14));
    recording.lookAtClock();
    expect(recording.contents.size).toBe(1);
    vi.setSystemTime(1_000_000 + minutes(16));
    recording.lookAtClock();
    expect(recording.contents.size).toBe(0);
    expect(shown.at(-1)).toEqual({ status: 'off' });
  });

  it('leaves nothing behind and notifies no listener when the application quits', () => {
    recording.start(minutes(15));
    record('something');
    recording.close();
    expect([recording.contents.size, recording.recorder]).toEqual([0, undefined]);
    vi.advanceTimersByTime(minutes(20));
    expect(shown).toHaveLength(1);
  });
});

describe('a recorded call as it is shown', () => {
  it('has the arguments, and the texts of the answer as text', () => {
    const { request, answer: given } = read(
      asked({ query: 'SELECT 1' }),
      answer({ content: [{ type: 'text', text: 'first\nsecond' }], isError: false, structuredContent: { rows: [1] } }),
    );
    expect(request.blocks).toEqual([{ title: 'Arguments', text: '{\n  "query": "SELECT 1"\n}' }]);
    expect(given?.blocks).toEqual([
      { title: 'Text', text: 'first\nsecond' },
      { title: 'Structured content', text: '{\n  "rows": [\n    1\n  ]\n}' },
      { title: 'Result', text: '{\n  "isError": false\n}' },
    ]);
  });

  it.each([
    ['a text that is JSON', asked({}), answer({ content: [{ type: 'text', text: '{"a":1}' }] }), '{\n  "a": 1\n}'],
    ['a text that starts like JSON', asked({}), answer({ content: [{ type: 'text', text: '[a] b' }] }), '[a] b'],
    [
      'an error',
      asked({}),
      { id: 1, error: { code: -32602, message: 'no' } },
      '{\n  "code": -32602,\n  "message": "no"\n}',
    ],
    ['another result', { id: 1, method: 'tools/list' }, answer({ tools: [] }), '{\n  "tools": []\n}'],
    ['content that is not a list', asked({}), answer({ content: 'odd' }), '"odd"'],
  ])('has %s', (_, request, given, text) => {
    expect(read(request, given).answer?.blocks.map((block) => block.text)).toEqual([text]);
  });

  it('is empty if nothing was passed, and has no answer if there was none', () => {
    expect(read({ id: 1, method: 'ping' })).toEqual({
      status: 'kept',
      request: { blocks: [], bytes: 24, isCut: false },
      answer: null,
    });
    expect(readContents(undefined)).toEqual({ status: 'deleted' });
  });

  it('is the beginning if the rest was cut off', () => {
    const request = asked({ query: 'x'.repeat(100_000), more: 1 });
    const given = answer({ content: [{ type: 'text', text: 'row\n'.repeat(50_000) }], structuredContent: {} });
    const contents = read(request, given);
    expect(contents.request).toMatchObject({ isCut: true, bytes: bytes(request).length });
    expect(contents.request.blocks).toMatchObject([{ title: 'Arguments' }]);
    expect(contents.request.blocks[0]?.text).toMatch(/^\{\n {2}"query": "x{60000,}"\n\}$/);
    expect(contents.answer?.blocks).toMatchObject([{ title: 'Text' }]);
    expect(contents.answer?.blocks[0]?.text).toMatch(/^(row\n)+r?o?w?$/);
  });

  it('is shown as it was sent if it is not JSON', () => {
    expect(read('no JSON').request.blocks).toEqual([{ title: 'Raw message', text: 'no JSON' }]);
  });

  it('is short for endlessly nested contents', () => {
    const { request } = read(`{"id":1,"method":"x","params":${'['.repeat(20_000)}${']'.repeat(20_000)}}`);
    expect(request.blocks[0]?.text.length).toBeLessThan(10_000);
  });

  const SECRET = 'dapi0123456789abcdef0123';
  it.each([
    [
      'under a name that secrets have',
      asked({ headers: { authorization: 'Custom abc' }, password: 12345, token: ['abc'] }),
    ],
    ['inside a text', asked({ script: `curl -H "Authorization: Bearer ${SECRET}"` })],
    ['inside a JSON text', asked({ body: JSON.stringify({ client_secret: 'abc', nested: { password: '12345' } }) })],
    ['in contents that were cut off', asked({ password: 'abc', filling: 'x'.repeat(100_000), more: SECRET })],
    ['as a name', asked({ [SECRET]: 'x' })],
  ])('holds no secret %s', (_, request) => {
    const contents = recorded(request, answer({ content: [{ type: 'text', text: `token=${SECRET}` }] }));
    const call = contents.at(1);
    if (!call) throw new Error('Nothing was recorded.');
    for (const text of [
      JSON.stringify(readContents(call)),
      contentsAsText(call),
      JSON.stringify(frameAsValue(call.request)),
    ]) {
      expect(text).not.toMatch(/dapi0123|abc"|12345/);
      expect(text).toContain('[redacted]');
    }
  });

  it('is on the clipboard as one text', () => {
    const contents = recorded(asked({ a: 1 }), answer({ content: [{ type: 'text', text: 'done' }] }));
    expect(contentsAsText(contents.at(1))).toBe('Request\nArguments:\n{\n  "a": 1\n}\n\nResponse\nText:\ndone\n');
  });
});

describe('an export', () => {
  const ended = endedCall({ tool: 'query', contents: 1 });
  const { requestId: _, workspace: __, traceparent: ___, ...kept } = ended;
  const call: ActivityCall = { ...kept, id: 1, profile: null, server: null, statement: null };
  const contents = recorded(asked({ query: 'SELECT 42' }), answer({ content: [] }));
  async function* read(calls: ActivityCall[]) {
    yield* calls;
  }
  async function exported(calls: ActivityCall[], from: RecordedContents | null) {
    const all = [];
    for await (const call of exportedCalls(read(calls), from)) all.push(call);
    return all;
  }
  const csvOf = async (from: RecordedContents | null) => {
    let text = '';
    for await (const part of callLines(exportedCalls(read([call]), from), from !== null)) text += part;
    return text;
  };

  it('holds no contents unless they are asked for', async () => {
    expect(JSON.stringify(await exported([call], null))).not.toMatch(/SELECT|"contents"|"request"/);
    expect(await csvOf(null)).not.toMatch(/SELECT|,request/);
  });

  it('holds the recorded contents if they are asked for', async () => {
    expect((await exported([call], contents))[0]).toMatchObject({
      tool: 'query',
      request: { params: { arguments: { query: 'SELECT 42' } } },
      answer: { result: { content: [] } },
    });
    expect(await csvOf(contents)).toMatch(/,request,answer\n.*SELECT 42.*\n$/);
    expect((await exported([{ ...call, contents: 99 }], contents))[0]).not.toHaveProperty('request');
  });
});
