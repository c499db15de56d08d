import fc from 'fast-check';
import { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { createBridge } from '../../../main/bridge/bridge.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { CollectingSink, NO_CONNECTION } from '../../integration/bridge/harness.ts';

interface Exchange {
  method: string;
  id: number | undefined;
  session: string | undefined;
  handler: Dispatcher.DispatchHandler;
}

const OPENING = ['initialize', 'notifications/initialized'];

/** A server in this process that answers the exchange it is told to, when it is told to, and forgets sessions at will. */
class Server extends Dispatcher {
  readonly waiting: Exchange[] = [];
  readonly runs: number[] = [];
  readonly overtaken: string[] = [];
  readonly #refused = new Set<string>();
  #sessions = new Set<string>();
  #issued = 0;

  override dispatch({ body, headers }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { method, id }: { method: string; id?: number } = JSON.parse(String(body));
    const session = Object(headers)['mcp-session-id'];
    for (const other of this.waiting)
      if (OPENING.includes(other.method)) this.overtaken.push(`${method} overtook ${other.method}`);
    this.waiting.push({ method, id, session, handler });
    handler.onRequestStart?.(NO_CONNECTION, {});
    return true;
  }

  forget(): void {
    this.#sessions.clear();
  }

  /** Refuses an exchange for its token, each frame once: it has not been run, and is sent again at once. */
  refuse(exchange: Exchange): void {
    const frame = `${exchange.method} ${exchange.id}`;
    if (this.#refused.has(frame)) return;
    this.#refused.add(frame);
    this.waiting.splice(this.waiting.indexOf(exchange), 1);
    reply(exchange, 401);
  }

  answer(exchange: Exchange): void {
    this.waiting.splice(this.waiting.indexOf(exchange), 1);
    const { method, id, session } = exchange;
    if (method === 'initialize') {
      this.#issued += 1;
      this.#sessions.add(`s${this.#issued}`);
      reply(exchange, 200, { result: { protocolVersion: '2025-06-18' } }, { 'mcp-session-id': `s${this.#issued}` });
    } else if (session === undefined || !this.#sessions.has(session)) reply(exchange, 404);
    else if (id === undefined) reply(exchange, 202);
    else {
      this.runs.push(id);
      reply(exchange, 200, { result: {} });
    }
  }
}

function reply({ handler, id }: Exchange, status: number, frame?: object, headers: Record<string, string> = {}): void {
  handler.onResponseStart?.(NO_CONNECTION, status, { 'content-type': 'application/json', ...headers }, '');
  if (frame) handler.onResponseData?.(NO_CONNECTION, Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, ...frame })));
  handler.onResponseEnd?.(NO_CONNECTION, {});
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('whatever the order of answers and ends of sessions', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ does: fc.constant('send' as const), pick: fc.constant(0) }) },
    { weight: 6, arbitrary: fc.record({ does: fc.constant('answer' as const), pick: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('forget' as const), pick: fc.constant(0) }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('refuse' as const), pick: fc.nat() }) },
  );

  it('nothing overtakes the opening of a session, and every call runs once and is answered once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 60 }), async (calls, steps) => {
        const server = new Server();
        const sink = new CollectingSink();
        const profile = { name: 'p', host: 'https://acme.example', method: 'pat' as const, workspaceId: undefined };
        const bridge = createBridge(
          {
            profile,
            path: '/api/x',
            tokens: { token: async () => new Secret('t') },
            connections: server,
          },
          sink,
        );
        const script = [
          '{"jsonrpc":"2.0","id":0,"method":"initialize"}',
          '{"jsonrpc":"2.0","method":"notifications/initialized"}',
          ...Array.from({ length: calls }, (_, at) => `{"jsonrpc":"2.0","id":${at + 1},"method":"tools/call"}`),
        ];
        const expected = script.length - 1;
        const send = () => {
          const frame = script.shift();
          if (frame) bridge.receive(Buffer.from(frame));
        };
        const chosen = (pick: number) => server.waiting[pick % Math.max(1, server.waiting.length)];
        const answer = (pick: number) => {
          const exchange = chosen(pick);
          if (exchange) server.answer(exchange);
        };
        // A call is sent again so often, not more: beyond that it is answered with an error.
        let forgetting = 2;
        let refusing = 3;
        for (const { does, pick } of steps) {
          if (does === 'send') send();
          else if (does === 'answer') answer(pick);
          else if (does === 'forget' && forgetting-- > 0) server.forget();
          else if (does === 'refuse') {
            const exchange = chosen(pick);
            if (exchange && refusing-- > 0) server.refuse(exchange);
          }
          await settled();
        }
        while (script.length > 0) send();
        for (let rounds = 0; sink.frames.length < expected; rounds += 1) {
          expect(rounds, 'it stands still').toBeLessThan(200);
          await settled();
          answer(0);
        }
        expect(server.overtaken).toEqual([]);
        const ids = sink.frames.map((frame) => JSON.parse(String(frame)).id);
        expect(ids.sort()).toEqual(Array.from({ length: expected }, (_, at) => at));
        expect(server.runs.sort()).toEqual(ids.slice(1));
      }),
      { numRuns: 400 },
    );
  });
});
