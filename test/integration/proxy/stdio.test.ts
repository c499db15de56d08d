import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  json,
  orderly,
  result,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../bridge/scripted-server.ts';
import { environment, homeWith, ProxyProcess } from './proxy-process.ts';

const SQL = '/api/2.0/mcp/sql';
const MIB = 1024 * 1024;

let server: ScriptedServer;
let home: Awaited<ReturnType<typeof homeWith>>;
const running: ProxyProcess[] = [];

beforeAll(async () => {
  server = await startScriptedServer(orderly().script);
  home = await homeWith({ acme: { host: server.origin, token: 'dapi-acme' } });
});
afterEach(async () => {
  server.script = orderly().script;
  server.arrivals.length = 0;
  for (const proxy of running.splice(0)) await proxy.close();
});
afterAll(() => Promise.all([server.close(), home.close()]));

function start(args: string[] = ['--profile', 'acme', '--path', SQL]): ProxyProcess {
  const proxy = new ProxyProcess(args, environment(home.home));
  running.push(proxy);
  return proxy;
}

const call = (id: number | string, text = 'ok') =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"text":${JSON.stringify(text)}}}`;

describe('both forms', () => {
  it.each<[name: string, args: () => string[]]>([
    ['a profile and a path', () => ['--profile', 'acme', '--path', SQL]],
    ['a URL', () => ['--url', `${server.origin}${SQL}`, '--auth-type', 'databricks-cli', '--profile', 'acme']],
    ['the only profile', () => ['--path', SQL]],
  ])('carry a whole session with only frames on stdout: %s', async (_name, args) => {
    const proxy = start(args());
    expect(await proxy.open()).toHaveProperty('result.serverInfo');
    expect(await proxy.request(1, 'tools/call', { text: 'ä€😀' })).toMatchObject({
      result: { content: [{ text: 'ä€😀' }] },
    });
    expect(await proxy.finish()).toBe(0);
    expect(proxy.frames).toHaveLength(2);
    expect(proxy.stderr).toBe('');
    expect(server.arrivals.map(({ method, path }) => `${method} ${path}`)).toContain(`DELETE ${SQL}`);
    for (const { path, headers } of server.arrivals) {
      expect(path).toBe(SQL);
      expect(headers.authorization).toBe('Bearer dapi-acme');
    }
  });
});

/** A server without sessions that gives each call its text back. */
const echo: Script = ({ frame }, response) => json(response, result(frame?.id, frame?.params?.text));

describe('stdin', () => {
  beforeEach(() => {
    server.script = echo;
  });

  it('accepts a byte order mark, CRLF, LF, blank lines, many frames in a chunk, and a last line without a line break', async () => {
    const proxy = start();
    proxy.write(`\u{feff}${call(1)}\r\n\r\n  \n${call(2)}\n${call(3)}\r\n`);
    proxy.stdin.end(call(4));
    expect(await proxy.ended).toBe(0);
    const answers = proxy.frames.map((frame) => JSON.parse(String(frame)));
    expect(answers.map(({ id, result }) => `${id} ${result}`).sort()).toEqual(['1 ok', '2 ok', '3 ok', '4 ok']);
  });

  it('accepts frames that are split anywhere', async () => {
    const proxy = start();
    for (const byte of Buffer.from(`${call(1, '€')}\r\n${call(2)}\n`)) {
      proxy.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await proxy.answerTo(1)).toMatchObject({ result: '€' });
    expect(await proxy.answerTo(2)).toMatchObject({ result: 'ok' });
  });

  it('can be a file', async () => {
    const file = join(home.home, 'frames.jsonl');
    await writeFile(file, `${call(1)}\n${call(2)}\n`);
    const handle = await open(file);
    const proxy = new ProxyProcess(['--path', SQL], environment(home.home), handle.fd);
    running.push(proxy);
    expect(await proxy.ended).toBe(0);
    await handle.close();
    expect(proxy.frames.map(String).sort()).toEqual([
      '{"jsonrpc":"2.0","id":1,"result":"ok"}',
      '{"jsonrpc":"2.0","id":2,"result":"ok"}',
    ]);
  });

  it('gets an error for an invalid frame, and the session continues', async () => {
    server.script = orderly().script;
    const proxy = start();
    await proxy.open();
    proxy.send('{"jsonrpc":"2.0","id":1,');
    proxy.send('Content-Length: 12');
    proxy.write(Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a]));
    proxy.send('{"jsonrpc":"2.0","id":2}');
    expect(await proxy.request(3, 'tools/call')).toHaveProperty('result');
    const errors = proxy.frames.slice(1, 5).map((frame) => JSON.parse(String(frame)));
    expect(errors.map(({ id, error }) => [id, error.code])).toEqual([
      [null, -32700],
      [null, -32700],
      [null, -32700],
      [2, -32600],
    ]);
    expect(errors[2].error.message).toBe('Parse error: this line is not UTF-8.');
    expect(server.count('tools/call')).toBe(1);
    expect(proxy.stderr).toBe('');
  });
});

describe('large frames', () => {
  it('of 64 MiB pass both ways, byte for byte', async () => {
    const text = 'x'.repeat(64 * MIB);
    server.script = ({ frame }, response) => json(response, `{"id":${frame?.id},"result":"${text}","jsonrpc":"2.0"}`);
    const proxy = start();
    proxy.send(call(1, text));
    await proxy.answerTo(1);
    expect(server.arrivals[0]?.body.equals(Buffer.from(call(1, text)))).toBe(true);
    expect(proxy.frames[0]?.equals(Buffer.from(`{"id":1,"result":"${text}","jsonrpc":"2.0"}`))).toBe(true);
    expect(await proxy.finish()).toBe(0);
  });

  it('of 64 MiB pass as one event, too', async () => {
    const text = 'x'.repeat(64 * MIB);
    server.script = ({ frame }, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: {"id":${frame?.id},"result":"${text}","jsonrpc":"2.0"}\n\n`);
    };
    const proxy = start();
    proxy.send(call(1));
    await proxy.until(1);
    expect(proxy.frames[0]?.equals(Buffer.from(`{"id":1,"result":"${text}","jsonrpc":"2.0"}`))).toBe(true);
  });

  it('do not delay small ones', async () => {
    let release = () => {};
    server.script = async ({ frame }, response) => {
      if (frame?.id !== 'large') return json(response, result(frame?.id));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`{"jsonrpc":"2.0","id":"large","result":"${'x'.repeat(8 * MIB)}`);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      response.end('"}');
    };
    const proxy = start();
    proxy.send(call('large'));
    for (let id = 0; id < 100; id += 1) expect(await proxy.request(id, 'tools/call')).toHaveProperty('result');
    release();
    await proxy.answerTo('large');
  });
});
