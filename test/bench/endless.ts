/**
 * `node test/bench/endless.ts`: the most memory that the proxy takes, alone and in the hub, before a server whose answer never
 * ends, in each way there is; beside what it takes while idle, and what the client is told.
 */
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { copyCommand } from './contender.ts';
import { residentMiB } from './memory.ts';
import { startProgram } from './program.ts';
import { StdioClient } from './stdio-client.ts';
import { table } from './table.ts';

/** How long an answer may go on for, in milliseconds: where the client is told, it is told long before. */
const LONGEST_MS = 20_000;
const MIB = 1024 * 1024;
const HEAD = '{"jsonrpc":"2.0","id":2,"result":"';
const NOTE = 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n';

interface Kind {
  type: string;
  head: string;
  /** What is sent again and again. */
  piece: Buffer;
  headers?: Record<string, string>;
  /** Whether the client stops reading. */
  isUnread?: boolean;
  /** Written to the socket in place of an answer. */
  isRaw?: boolean;
  /** After so many pieces it does end, with this. */
  end?: { pieces: number; tail: string };
}

const filled = (text: string) => Buffer.from(text.repeat(Math.ceil(MIB / text.length)));

const KINDS: Record<string, Kind> = {
  'JSON body': { type: 'application/json', head: HEAD, piece: filled('x') },
  'JSON body of brackets': { type: 'application/json', head: HEAD.slice(0, -1), piece: filled('[') },
  'one line of an event stream': { type: 'text/event-stream', head: `data: ${HEAD}`, piece: filled('x') },
  'one event of many lines': { type: 'text/event-stream', head: 'data: [\n', piece: filled('data: "x",\n') },
  'small events, unread': { type: 'text/event-stream', head: '', piece: filled(NOTE), isUnread: true },
  comments: { type: 'text/event-stream', head: '', piece: filled(': x\n\n') },
  'JSON body of 70 MiB of objects, which ends': {
    type: 'application/json',
    head: '{"jsonrpc":"2.0","id":2,"result":{"content":[{}',
    piece: Buffer.from(',{}'.repeat(MIB / 3)),
    end: { pieces: 70, tail: ']}}' },
  },
  'a body of another type': { type: 'text/plain', head: HEAD, piece: filled('x') },
  'a header': { type: '', head: 'HTTP/1.1 200 OK\r\nx-long: ', piece: filled('x'), isRaw: true },
  'a compressed body': {
    type: 'application/json',
    head: '',
    piece: gzipSync(filled(' ')),
    headers: { 'content-encoding': 'gzip' },
  },
};

let kind: Kind | undefined;

async function pour(response: ServerResponse, { piece, head, isRaw, end }: Kind): Promise<void> {
  const to = isRaw ? response.socket : response;
  to?.write(head);
  for (let count = 0; to && !to.destroyed; count += 1) {
    if (count === end?.pieces) {
      to.end(end.tail);
      return;
    }
    await new Promise<void>((resolve) => {
      const on = () => {
        to.off('drain', on);
        to.off('close', on);
        resolve();
      };
      if (to.write(piece)) setImmediate(on);
      to.on('drain', on);
      to.on('close', on);
    });
  }
}

const server = createServer(async (request, response) => {
  response.on('error', () => {});
  request.socket.on('error', () => {});
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { id, method } = chunks.length > 0 ? JSON.parse(String(Buffer.concat(chunks))) : {};
  if (method === 'initialize') {
    const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'endless', version: '1' } };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  } else if (method !== 'tools/call' || !kind) response.writeHead(id === undefined ? 202 : 405).end();
  else {
    if (!kind.isRaw) response.writeHead(200, { 'content-type': kind.type, ...kind.headers });
    await pour(response, kind);
  }
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
const origin = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';

const home = await mkdtemp(join(tmpdir(), 'causeway-endless-'));
await writeFile(join(home, '.databrickscfg'), `[DEFAULT]\nhost = ${origin}\ntoken = dapi-endless\n`, { mode: 0o600 });
const command = await copyCommand(home);
const own = { HOME: home, USERPROFILE: home, PATH: process.env.PATH };

/** Linux keeps the most that a process has ever taken. */
async function peakMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Idle and peak of the process that carries the answer, and what became of the request. */
async function measure(one: Kind, hub: { pid: number } | undefined): Promise<string> {
  kind = one;
  const client = new StdioClient(
    process.execPath,
    [command, 'proxy', '--path', '/api/2.0/mcp/sql'],
    hub ? { ...own, CAUSEWAY_HOME: home } : own,
  );
  await client.open();
  await sleep(200);
  const pid = hub?.pid ?? client.pid;
  const idle = await residentMiB(pid);
  const call = client.request('tools/call', { name: 'x', arguments: {} }).then(() => 'told');
  call.catch(() => {});
  if (one.isUnread) client.pause();
  const ended = await Promise.race([call, sleep(LONGEST_MS, 'goes on')]);
  const peak = await peakMiB(pid);
  await client.kill();
  kind = undefined;
  return `${idle.toFixed(0)} → ${peak.toFixed(0)} MiB, ${ended}`;
}

const rows = [['an endless', 'alone', 'through the hub (the hub itself)']];
for (const [name, one] of Object.entries(KINDS)) {
  const alone = await measure(one, undefined);
  // A hub of its own for each: the peak is that of its life.
  const hub = await startProgram('hub-program.ts', [home]);
  rows.push([name, alone, await measure(one, hub)]);
  await hub.end();
}
console.log(table(rows));
server.closeAllConnections();
server.close();
await rm(home, { recursive: true });
