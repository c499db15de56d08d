import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { BUDGETS } from './budgets.ts';

/** An answer costs more than it may, in what is no content. */
class WireBudgetError extends Error {
  readonly code = 'UND_ERR_WIRE_BUDGET';
}

/** What one request has cost so far. */
interface Spent {
  socket: Socket;
  /** The socket's count of bytes when the request was sent. */
  from: number;
  contentBytes: number;
  allowedBytes: number;
  informational: number;
  sentAt: number;
}

const byRequest = new WeakMap<object, Spent>();
const bySocket = new WeakMap<Socket, Spent>();
let isCounting = false;

/**
 * Counts the bytes of every connection of this process below undici's parser, which limits the field lines alone: it reads a status
 * line, a chunk's extension or a number of 1xx answers without end. A connection that brings too much which is no content is
 * destroyed, and its requests fail with `WireBudgetError`. Done once for a process, through undici's diagnostics channels, and so for
 * proxies, TLS and HTTP/2 as well.
 */
export function countWireBytes(): void {
  if (isCounting) return;
  isCounting = true;
  subscribe('undici:client:sendHeaders', (message) => {
    const { request, socket } = membersOf(message);
    if (isObject(request) && socket instanceof Socket) began(request, socket);
  });
  subscribe('undici:request:headers', (message) => {
    const { request, response } = membersOf(message);
    const spent = isObject(request) ? byRequest.get(request) : undefined;
    const { statusCode } = membersOf(response);
    if (spent && typeof statusCode === 'number' && statusCode < 200) informed(spent);
  });
  subscribe('undici:request:bodyChunkReceived', (message) => {
    const { request, chunk } = membersOf(message);
    const spent = isObject(request) ? byRequest.get(request) : undefined;
    if (spent && chunk instanceof Uint8Array) spent.contentBytes += chunk.length;
  });
}

function began(request: object, socket: Socket): void {
  const before = bySocket.get(socket);
  // HTTP/1.1 has one answer at a time here; those of HTTP/2 share the connection and its count.
  if (before && isShared(socket)) {
    before.allowedBytes += BUDGETS.overheadBytes;
    byRequest.set(request, before);
    return;
  }
  const spent: Spent = {
    socket,
    from: socket.bytesRead,
    contentBytes: 0,
    allowedBytes: BUDGETS.overheadBytes,
    informational: 0,
    sentAt: performance.now(),
  };
  byRequest.set(request, spent);
  bySocket.set(socket, spent);
  if (!before) socket.prependListener('readable', () => check(socket));
}

function isShared(socket: Socket): boolean {
  return 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
}

function check(socket: Socket): void {
  const spent = bySocket.get(socket);
  if (!spent) return;
  const overhead = socket.bytesRead - spent.from - spent.contentBytes;
  if (overhead <= spent.allowedBytes) return;
  if (overhead > spent.allowedBytes + spent.contentBytes * BUDGETS.overheadPerContentByte) {
    end(spent, `the answer brought ${overhead} bytes beside its content`);
  }
}

function informed(spent: Spent): void {
  spent.informational += 1;
  const isLate = performance.now() - spent.sentAt > BUDGETS.headMs;
  if (isLate || spent.informational > BUDGETS.informationalAnswers)
    end(spent, `${spent.informational} informational answers came before a final one`);
}

function end({ socket }: Spent, reason: string): void {
  // Not while undici's parser is at work on this very connection.
  queueMicrotask(() => socket.destroy(new WireBudgetError(reason)));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function membersOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? { ...value } : {};
}
