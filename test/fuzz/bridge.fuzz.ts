import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Dispatcher } from 'undici';
import type { FrameSink } from '../../main/bridge/back-pressure.ts';
import { createBridge } from '../../main/bridge/bridge.ts';
import { idOfCut, readEnvelope, scanFrame } from '../../main/bridge/frame/frame.ts';
import { FrameSplitter, faultFrame } from '../../main/bridge/frame/splitter.ts';
import { EventStreamParser } from '../../main/bridge/sse.ts';
import { unsafeAddress } from '../../main/bridge/stateless/elicitations.ts';
import { Secret } from '../../main/platform/secret.ts';
import { fuzzProperty } from './property.ts';

/** Answers each POST as it is told to, in this process: no sockets. */
interface Answer {
  status: number;
  type: string;
  pieces: Buffer[];
}

type Reply = (frame: string) => Answer;

const CONTROLLER: Dispatcher.DispatchController = {
  aborted: false,
  paused: false,
  reason: null,
  abort() {},
  pause() {},
  resume() {},
};

const SILENT: Answer = { status: 405, type: '', pieces: [] };

function bridgeTo(reply: Reply, own: Answer = SILENT) {
  const frames: string[] = [];
  const sink: FrameSink = {
    buffered: 0,
    flowing: true,
    write: (frame) => void frames.push(String(frame)),
    onDrain() {},
    flushed: async () => {},
  };
  const connections = {
    dispatch({ method, body }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      handler.onRequestStart?.(CONTROLLER, {});
      setImmediate(() => {
        const isPost = method === 'POST';
        const { status, type, pieces } = isPost ? reply(String(body)) : method === 'GET' ? own : SILENT;
        handler.onResponseStart?.(CONTROLLER, status, { 'content-type': type, 'mcp-session-id': 's' }, '');
        for (const piece of pieces) handler.onResponseData?.(CONTROLLER, piece);
        // The server's own stream stays open, so that nothing is opened again while this runs.
        if (method !== 'GET' || status !== 200) handler.onResponseEnd?.(CONTROLLER, {});
      });
      return true;
    },
  };
  const profile = { name: 'p', host: 'https://acme.example', method: 'pat' as const, workspaceId: undefined };
  const tokens = { token: async () => new Secret('dapi-fuzz') };
  const bridge = createBridge({ profile, path: '/x', tokens, connections }, sink);
  return { bridge, frames };
}

const INITIALIZED = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } };

/** Sends the opening of a session, then these lines, and gives what the client has read when all is settled. */
async function conversation(lines: string[], reply: Reply, own?: Answer): Promise<string[]> {
  const { bridge, frames } = bridgeTo((frame) => {
    const { id, method } = Object(JSON.parse(frame));
    if (method === 'initialize') return json(JSON.stringify({ jsonrpc: '2.0', id, result: INITIALIZED }));
    return method === 'notifications/initialized' ? { status: 202, type: '', pieces: [] } : reply(frame);
  }, own);
  bridge.receive(Buffer.from('{"jsonrpc":"2.0","id":"open","method":"initialize","params":{}}'));
  bridge.receive(Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}'));
  for (const line of lines) bridge.receive(Buffer.from(line));
  await bridge.finish(15_000);
  return frames.slice(1);
}

function json(text: string): Answer {
  return { status: 200, type: 'application/json', pieces: [Buffer.from(text)] };
}

/** Cuts a text at the given places. */
function cutAt(bytes: Buffer, cuts: number[]): Buffer[] {
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, at) => bytes.subarray(edges[at], edge));
}

const nested = fc
  .tuple(fc.constantFrom('[', '{"a":', '[{"id":1,"method":"m","params":', '{"id":'), fc.integer({ min: 1, max: 4_000 }))
  .map(
    ([open, depth]) =>
      open.repeat(depth) +
      [...open]
        .reverse()
        .filter((each) => '[{'.includes(each))
        .map((each) => (each === '[' ? ']' : '}'))
        .join('')
        .repeat(depth),
  );
const oddId = fc.constantFrom(
  '1',
  '"1"',
  '1.0',
  'null',
  '-0',
  '1e400',
  '{}',
  '[]',
  'true',
  '"\\u0031"',
  '9007199254740993',
  '""',
);
const line = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.string(),
  nested,
  fc
    .tuple(oddId, fc.constantFrom('ping', 'tools/call', 'x', ''))
    .map(([id, method]) => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`),
  oddId.map((id) => `{"jsonrpc":"2.0","id":${id},"result":{}}`),
);

fuzzProperty(
  'any bytes of a client are cut into frames, read and answered without an exception',
  [
    fc.array(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        line.map((text) => Buffer.from(text)),
        fc.constant(Buffer.from('\n')),
      ),
      { maxLength: 8 },
    ),
    fc.array(fc.nat(), { maxLength: 5 }),
  ],
  (parts, cuts) => {
    const read: Buffer[] = [];
    const splitter = new FrameSplitter(
      { frame: (frame) => read.push(frame), fault: (fault) => read.push(faultFrame(fault)) },
      5_000,
    );
    for (const chunk of cutAt(Buffer.concat(parts), cuts)) splitter.push(chunk);
    splitter.end();
    for (const frame of read) {
      readEnvelope(frame);
      scanFrame(frame);
      idOfCut(frame.subarray(0, 100), frame.subarray(-100));
    }
  },
);

fuzzProperty(
  'an event stream gives the same frames wherever it is cut and whatever its line ends are',
  [
    fc.array(
      fc.tuple(
        fc.constantFrom(
          'data: {"id":1}',
          'data: {"id":',
          'data:2}',
          ': x',
          'id: 7',
          'event: message',
          'retry: 0',
          '',
          'ä',
          'data',
        ),
        fc.constantFrom('\n', '\r\n', '\r'),
      ),
      { maxLength: 20 },
    ),
    fc.uint8Array({ maxLength: 8 }),
    fc.array(fc.nat(), { maxLength: 12 }),
  ],
  (lines, junk, cuts) => {
    const stream = Buffer.concat([...lines.map(([text, end]) => Buffer.from(text + end)), junk]);
    const framesOf = (chunks: Buffer[]) => {
      const frames: string[] = [];
      const feed = new EventStreamParser((frame) => frames.push(String(frame)));
      for (const chunk of chunks) feed.push(chunk);
      return [frames, feed.lastEventId, feed.retryMs];
    };
    assert.deepEqual(framesOf(cutAt(stream, cuts)), framesOf([stream]));
  },
);

const address = fc.oneof(
  fc.webUrl({ validSchemes: ['http', 'https', 'ftp', 'javascript', 'file', 'data', 'vbscript'] }),
  fc
    .tuple(
      fc.constantFrom(
        'javascript:',
        'JAVASCRIPT:',
        ' file:',
        'java\nscript:',
        'https:',
        'http://127.0.0.1',
        'http://localhost.',
        'data:,',
      ),
      fc.string(),
    )
    .map(([scheme, rest]) => scheme + rest),
  fc.string(),
);
fuzzProperty('an address that a client may open is https, or http on this computer', [address], (url) => {
  const fault = unsafeAddress({ method: 'elicitation/create', params: { mode: 'url', url } });
  if (fault !== undefined) return;
  const { protocol, hostname } = new URL(url);
  assert.ok(
    protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)),
    url,
  );
});

/** What a server may send where answers belong: `of` names the request whose id a response has, and its value is that id. */
const piece = fc.oneof(
  fc.record({ kind: fc.constant('response' as const), of: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ kind: fc.constant('error' as const), of: fc.integer({ min: 0, max: 3 }) }),
  fc.record({
    kind: fc.constant('junk' as const),
    text: fc.constantFrom('null', '5', '[]', '{}', '"x"', '{"id":1}', '[[]]', '{"id":{},"result":1}', '{"result":'),
  }),
  fc.record({ kind: fc.constant('note' as const) }),
);
const answer = fc.record({
  form: fc.constantFrom('json' as const, 'events' as const, 'accepted' as const, 'text' as const),
  pieces: fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 5 }),
  isArray: fc.boolean(),
  cuts: fc.array(fc.nat(), { maxLength: 4 }),
});
type AnswerShape = typeof answer extends fc.Arbitrary<infer Shape> ? Shape : never;

const NOTE = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}';

function pieceText(shape: AnswerShape['pieces'][number][0]): string {
  if (shape.kind === 'junk') return shape.text;
  if (shape.kind === 'note') return NOTE;
  const id = `"call-${shape.of}"`;
  return shape.kind === 'response'
    ? `{"jsonrpc":"2.0","id":${id},"result":{"for":${shape.of}}}`
    : `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"for ${shape.of}"}}`;
}

function answerOf({ form, pieces, isArray, cuts }: AnswerShape): Answer {
  const texts = pieces.map(([shape]) => pieceText(shape));
  const arrays = pieces.map(([shape, own]) => (own ? `[${pieceText(shape)}]` : pieceText(shape)));
  const all = isArray ? [`[${texts.join(',')}]`] : arrays;
  if (form === 'accepted') return { status: 202, type: '', pieces: [] };
  if (form !== 'events') {
    return {
      status: 200,
      type: form === 'json' ? 'application/json' : 'text/plain',
      pieces: cutAt(Buffer.from(all[0] ?? ''), cuts),
    };
  }
  return {
    status: 200,
    type: 'text/event-stream',
    pieces: cutAt(Buffer.from(all.map((text) => `data: ${text}\n\n`).join('')), cuts),
  };
}

/** As many calls as there are ids that an answer can have: an id that no request has counts as mangled, and is put right. */
const CALLS = [0, 1, 2, 3].map((at) => `{"jsonrpc":"2.0","id":"call-${at}","method":"tools/call"}`);

function assertAnsweredOnce(read: string[]): void {
  for (const at of CALLS.keys()) {
    const own = read.map((frame) => JSON.parse(frame)).filter((frame) => frame.id === `call-${at}`);
    assert.equal(own.length, 1, JSON.stringify(read));
    const [{ result, error }] = own;
    assert.ok(result === undefined || result.for === at, JSON.stringify(own));
    assert.ok(error === undefined || error.code !== -32_000 || error.message === `for ${at}`, JSON.stringify(own));
  }
  for (const frame of read) assert.ok(frame === NOTE || frame.includes('"id":"call-'), frame);
}

fuzzProperty(
  'every request is answered exactly once and never with the result of another, whatever a server sends',
  [fc.array(answer, { minLength: 4, maxLength: 4 })],
  async (answers) => {
    const read = await conversation(CALLS, (frame) => {
      const shape = answers[Number(/call-(\d)/.exec(frame)?.[1])];
      return shape ? answerOf(shape) : SILENT;
    });
    assertAnsweredOnce(read);
  },
  { weight: 0.2 },
);

fuzzProperty(
  'a response on the own stream of a server answers a request at most once, and only the one with its id',
  [answer, fc.array(piece, { maxLength: 4 })],
  async (shape, own) => {
    const pieces = own.map((each) => Buffer.from(`data: ${pieceText(each)}\n\n`));
    // What is accepted waits for the own stream, for seconds: that is tried elsewhere.
    const posted = { ...shape, form: 'events' as const };
    assertAnsweredOnce(
      await conversation(CALLS, () => answerOf(posted), { status: 200, type: 'text/event-stream', pieces }),
    );
  },
  { weight: 0.2 },
);

fuzzProperty(
  'any lines of a client leave the process alive, and each request of its own id has one answer',
  [fc.array(line, { maxLength: 4 })],
  async (lines) => {
    const read = await conversation([...lines, '{"jsonrpc":"2.0","id":"mine","method":"tools/call"}'], (frame) => {
      const { id } = Object(JSON.parse(frame));
      return json(`{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"result":{}}`);
    });
    assert.equal(read.filter((frame) => frame.includes('"mine"')).length, 1, JSON.stringify(read));
  },
  { weight: 0.2 },
);
