import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServerRequests } from '../../../../main/bridge/stateless/server-requests.ts';

let client: Record<string, unknown>[];
let server: Record<string, unknown>[];
let requests: ServerRequests;

beforeEach(() => {
  vi.useFakeTimers();
  client = [];
  server = [];
  requests = new ServerRequests({
    toClient: (frame) => void client.push(JSON.parse(String(frame))),
    toServer: (frame) => void server.push(JSON.parse(String(frame))),
  });
});

afterEach(() => void vi.useRealTimers());

const frame = (value: object) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...value }));

function call(id: number): void {
  const context = { method: 'tools/call', capabilities: { roots: {} } };
  requests.began(frame({ id, method: 'tools/call', params: { name: 'f' } }), context, String(id));
}

const question = frame({ id: 'q', method: 'roots/list' });
const answered = (id: number) => requests.settled(frame({ id, result: {} }));

/** Longer than a question waits for others. */
const whileGathered = () => vi.advanceTimersByTime(100);

const asks = { resultType: 'input_required', inputRequests: { 'question-2': { method: 'roots/list' } } };

describe("a question of the server's whose call is answered before the client is asked", () => {
  it('is asked in the answer to another open call if it came by itself', () => {
    call(1);
    call(2);
    requests.ask(question, undefined);
    expect(answered(2)).toBeDefined();
    whileGathered();
    expect(client).toMatchObject([{ id: 1, result: asks }]);
    expect(server).toEqual([]);
  });

  it('is refused if it came in the answer to that call, or if no other is open', () => {
    call(1);
    call(2);
    requests.ask(question, '2');
    answered(2);
    requests.ask(frame({ id: 'own', method: 'roots/list' }), undefined);
    answered(1);
    whileGathered();
    expect(server).toMatchObject([
      { id: 'q', error: { code: -32601 } },
      { id: 'own', error: { code: -32601 } },
    ]);
    expect(client).toEqual([]);
  });

  it('is asked in the answer to another open call if the client cancels that one', () => {
    call(1);
    call(2);
    requests.ask(question, undefined);
    requests.cancel('2');
    whileGathered();
    expect(client).toMatchObject([{ id: 1, result: asks }]);
  });
});
