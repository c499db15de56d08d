import { Aggregate, type AggregateServer } from '../../../main/aggregate/aggregate.ts';
import type { FrameSink } from '../../../main/bridge/back-pressure.ts';

export interface Frame {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** What a server of a test does with a frame; undefined for what every one does. */
type Acts = (frame: Frame, say: (frame: Frame) => void) => boolean | undefined;

interface Lists {
  tools?: string[];
  prompts?: string[];
  resources?: string[];
  templates?: string[];
}

/** A server in this process: what reached it, and a way to let it say something. */
export function serverOf(name: string, lists: Lists, acts: Acts = () => false) {
  const received: Frame[] = [];
  let say: (frame: Frame) => void = () => {};
  const listed = (names: string[] = [], key = 'name') => names.map((one) => ({ [key]: one }));
  const results: Record<string, () => object> = {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
      serverInfo: { name, version: '0' },
    }),
    'tools/list': () => ({ tools: listed(lists.tools) }),
    'prompts/list': () => ({ prompts: listed(lists.prompts) }),
    'resources/list': () => ({ resources: listed(lists.resources, 'uri') }),
    'resources/templates/list': () => ({ resourceTemplates: listed(lists.templates, 'uriTemplate') }),
    'resources/read': () => ({ contents: (lists.resources ?? []).map((uri) => ({ uri, text: name })) }),
  };
  const server: AggregateServer = {
    name,
    setUp: JSON.stringify(lists),
    open: (sink: FrameSink) => {
      say = (frame) => queueMicrotask(() => sink.write(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...frame }))));
      const bridge = {
        receive: (bytes: Buffer) => {
          const frame: Frame = JSON.parse(String(bytes));
          received.push(frame);
          if (acts(frame, say) || frame.id === undefined || frame.method === undefined) return;
          say({ id: frame.id, result: { ...(results[frame.method]?.() ?? { by: name, of: frame.params }) } });
        },
        fault: () => {},
        pendingBytes: 0,
        onSettled: () => {},
        finish: async () => {},
        close: async () => {},
      };
      return { bridge, opened: Promise.resolve() };
    },
  };
  const calls = () => received.filter(({ method }) => method === 'tools/call').map(({ params }) => params?.name);
  return { server, received, calls, say: (frame: Frame) => say(frame) };
}

/** An aggregate of these servers, and its client. */
export function clientOf(...servers: { server: AggregateServer }[]) {
  const frames: (Frame | Frame[])[] = [];
  const waiting = new Map<unknown, (answer: Frame) => void>();
  const sink: FrameSink = {
    write: (bytes) => {
      const frame: Frame = JSON.parse(String(bytes));
      frames.push(frame);
      if (frame.method === undefined) waiting.get(frame.id)?.(frame);
    },
    buffered: 0,
    flowing: true,
    onDrain: () => {},
    flushed: async () => {},
  };
  const aggregate = new Aggregate(sink);
  aggregate.offer(servers.map(({ server }) => server));
  const send = (frame: Frame | Frame[]) => aggregate.receive(Buffer.from(JSON.stringify(frame)));
  let last = 0;
  const request = (method: string, params: Record<string, unknown> = {}, id: number | string = ++last) =>
    new Promise<Frame>((resolve) => {
      waiting.set(id, resolve);
      send({ jsonrpc: '2.0', id, method, params } as Frame);
    });
  const open = async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const opened = await request('initialize', params);
    send({ method: 'notifications/initialized' });
    return opened;
  };
  const names = async (method: string, items: string, key = 'name') => {
    const { result } = await request(method);
    return ((result?.[items] ?? []) as Record<string, string>[]).map((item) => item[key] ?? '');
  };
  const tools = () => names('tools/list', 'tools');
  const notified = (method: string) => frames.filter((frame) => 'method' in frame && frame.method === method);
  return { aggregate, frames, send, request, open, names, tools, notified };
}
