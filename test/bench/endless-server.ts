import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

const MIB = 1024 * 1024;
const HEAD = '{"jsonrpc":"2.0","id":2,"result":"';
const NOTE = 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n';

/** An answer that never ends. */
export interface EndlessAnswer {
  type: string;
  head: string;
  /** What is sent again and again. */
  piece: Buffer;
  headers?: Record<string, string>;
  /** Whether the client stops reading. */
  isUnread?: boolean;
  /** Written to the socket instead of an answer. */
  isRaw?: boolean;
  /** After so many pieces it does end, with this. */
  end?: { pieces: number; tail: string };
}

const filled = (text: string) => Buffer.from(text.repeat(Math.ceil(MIB / text.length)));

export const ENDLESS_ANSWERS = {
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
} satisfies Record<string, EndlessAnswer>;

async function pour(response: ServerResponse, { piece, head, isRaw, end }: EndlessAnswer): Promise<void> {
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

export interface EndlessServer {
  origin: string;
  /** What a `tools/call` is answered with from now on. */
  answer: EndlessAnswer | undefined;
  close(): void;
}

/** An MCP server that is orderly until a tool is called. */
export async function startEndlessServer(): Promise<EndlessServer> {
  const server = createServer(async (request, response) => {
    response.on('error', () => {});
    request.socket.on('error', () => {});
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { id, method } = chunks.length > 0 ? JSON.parse(String(Buffer.concat(chunks))) : {};
    if (method === 'initialize') {
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'endless', version: '1' } };
      const body = JSON.stringify({ jsonrpc: '2.0', id, result });
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    } else if (method !== 'tools/call' || !endless.answer) response.writeHead(id === undefined ? 202 : 405).end();
    else {
      const { answer } = endless;
      if (!answer.isRaw) response.writeHead(200, { 'content-type': answer.type, ...answer.headers });
      await pour(response, answer);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const endless: EndlessServer = {
    origin: typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '',
    answer: undefined,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return endless;
}
