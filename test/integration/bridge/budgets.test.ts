import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BUDGETS } from '../../../main/platform/budgets.ts';
import { openDispatcher } from '../../../main/platform/http.ts';
import { clientOf } from './connected.ts';

const MIB = 1024 * 1024;
/** What the system's buffers between two sockets hold, generously. */
const IN_BUFFERS = 24 * MIB;
const OK = 'HTTP/1.1 200 OK\r\n';
const JSON_HEAD = `${OK}content-type: application/json\r\n`;
const EVENTS = `${OK}content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`;

/** An answer that begins, and then repeats one piece without end. */
interface Attack {
  budget: keyof typeof BUDGETS;
  what: string;
  begin: string;
  again: string;
  /** What may be read of it at most, in bytes. */
  mostBytes: number;
  message: RegExp;
}

const chunk = (content: string) => `${Buffer.byteLength(content).toString(16)}\r\n${content}\r\n`;
const OVERHEAD = /too much beside its content/;

const ATTACKS: Attack[] = [
  attack('informationalAnswers', '103 answers', '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', MIB, OVERHEAD),
  attack('headerBytes', 'header lines', JSON_HEAD, `x-more: ${'a'.repeat(100)}\r\n`, MIB, /16 KB of headers/),
  attack('headerBytes', 'one header line', `${JSON_HEAD}x: `, 'a'.repeat(1000), MIB, /16 KB of headers|beside its/),
  attack(
    'headerBytes',
    'trailers',
    `${JSON_HEAD}transfer-encoding: chunked\r\n\r\n${chunk('{')}0\r\n`,
    'x-more: aaaaaaaaaa\r\n',
    MIB,
    /16 KB of headers|beside its/,
  ),
  attack('overheadBytes', 'a status line', 'HTTP/1.1 200 ', 'a'.repeat(1000), MIB, OVERHEAD),
  attack(
    'overheadBytes',
    'the extension of a chunk',
    `${JSON_HEAD}transfer-encoding: chunked\r\n\r\n5;`,
    'a=b;'.repeat(250),
    MIB,
    OVERHEAD,
  ),
  attack(
    'overheadPerContentByte',
    'long extensions of tiny chunks',
    `${JSON_HEAD}transfer-encoding: chunked\r\n\r\n`,
    `1;${'a'.repeat(1000)}\r\n \r\n`,
    2 * MIB,
    OVERHEAD,
  ),
  attack('emptyEventBytes', 'empty events', EVENTS, chunk('data:\n\n'.repeat(200)), 4 * MIB, /./),
  attack('emptyEventBytes', 'comments', EVENTS, chunk(': here\n\n'.repeat(200)), 4 * MIB, /./),
  attack('emptyEventBytes', 'ids without data', EVENTS, chunk('id: 1\nevent: x\n\n'.repeat(200)), 4 * MIB, /./),
  attack('eventLines', 'lines of one event', EVENTS, chunk('data: \n'.repeat(2000)), 24 * MIB, /./),
  attack('frameBytes', 'one event', `${EVENTS}${chunk('data: ')}`, chunk('a'.repeat(60_000)), 80 * MIB, /72 MiB/),
  attack(
    'frameBytes',
    'a JSON answer',
    `${JSON_HEAD}transfer-encoding: chunked\r\n\r\n${chunk('"')}`,
    chunk('a'.repeat(60_000)),
    80 * MIB,
    /72 MiB/,
  ),
  attack(
    'refusalBytes',
    'a refusal',
    'HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n',
    chunk('a'.repeat(1000)),
    MIB,
    /500/,
  ),
];

/** Limits of time and number that other tests exceed, with fake clocks or real lists. */
const ELSEWHERE: Partial<Record<keyof typeof BUDGETS, string>> = {
  headMs: 'the same place as informationalAnswers',
  batchFrames: 'test/integration/bridge/hostile-answers.test.ts',
  jsonDepth: 'test/unit/bridge/outline.test.ts',
  toolPages: 'test/integration/hub/health/mcp-session.test.ts',
  refusalMs: 'test/unit/bridge/endless-bodies.test.ts',
  acceptedMs: 'test/unit/bridge/endless-bodies.test.ts',
  retryAfterMs: 'test/unit/bridge/retry.test.ts',
  unsentMs: 'test/integration/bridge/never-sent.test.ts',
};

describe('an answer without end', () => {
  it.each(ATTACKS)('of $what ends its call at the budget "$budget"', async ({ begin, again, mostBytes, message }) => {
    const server = await endless(begin, again);
    const client = await clientOf(server.origin);
    const answer = await client.request(1, 'tools/call', { name: 'run' });
    expect(answer.error.message).toMatch(message);
    await server.over;
    expect(server.written()).toBeLessThan(mostBytes + IN_BUFFERS);
  });

  it.each(ATTACKS.filter(({ message }) => message === OVERHEAD))(
    'of $what ends a request of the REST and OAuth clients as well',
    async ({ begin, again }) => {
      const server = await endless(begin, again);
      const dispatcher = await openDispatcher(server.origin, { env: {} });
      onTestFinished(() => dispatcher.destroy());
      const read = dispatcher
        .request({ origin: server.origin, path: '/', method: 'GET' })
        .then(({ body }) => body.text());
      await expect(read).rejects.toMatchObject({ code: 'UND_ERR_WIRE_BUDGET' });
      await server.over;
    },
  );
});

describe('an orderly answer', () => {
  it('in chunks of one byte with two hints before it is read', async () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'a'.repeat(20_000) });
    const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
    const head = `${hint}${hint}${JSON_HEAD}transfer-encoding: chunked\r\n\r\n`;
    const server = await endless(`${head}${Array.from(text, chunk).join('')}0\r\n\r\n`, '');
    const client = await clientOf(server.origin);
    expect(await client.request(1, 'tools/call')).toMatchObject({ result: expect.stringContaining('aaa') });
  });
});

describe('the table of budgets', () => {
  it('has a test for each limit', () => {
    const tested = new Set<string>([...ATTACKS.map(({ budget }) => budget), ...Object.keys(ELSEWHERE)]);
    expect(Object.keys(BUDGETS).filter((name) => !tested.has(name))).toEqual([]);
  });

  it('is described with each limit in the decision about limits', () => {
    const page = readFileSync(
      join(import.meta.dirname, '..', '..', '..', 'docs', 'decisions', '0014-limits.md'),
      'utf8',
    );
    expect(Object.keys(BUDGETS).filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
    for (const [name, limit] of Object.entries(BUDGETS)) {
      expect(page).toMatch(new RegExp(`\\| \`${name}\` \\| ${limit.toLocaleString('en-US')} \\|`));
    }
  });
});

function attack(
  budget: keyof typeof BUDGETS,
  what: string,
  begin: string,
  again: string,
  ...[mostBytes, message]: [mostBytes: number, message: RegExp]
): Attack {
  return { budget, what, begin, again, mostBytes, message };
}

/** A server below HTTP: to each request it writes the beginning, and then the piece as fast as it is read, without end. */
async function endless(begin: string, again: string) {
  let written = 0;
  const sockets = new Set<Socket>();
  let isOver = () => {};
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  const piece = Buffer.from(again.repeat(again === '' ? 0 : Math.ceil(16_000 / again.length)));
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', isOver);
    socket.once('data', () => {
      socket.write(begin);
      const more = () => {
        while (piece.length > 0 && !socket.destroyed) {
          written += piece.length;
          if (!socket.write(piece)) return void socket.once('drain', more);
        }
      };
      more();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return { origin: `http://127.0.0.1:${address.port}`, written: () => written, over };
}
