import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApprovalQueue, type CallToApprove } from '../../../main/rules/approvals.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000 }));
afterEach(() => void vi.useRealTimers());

const SERVER = { profile: 'ana', path: '/api/2.0/mcp/sql', key: 'https://a.example.com/api/2.0/mcp/sql' };
const CALL: CallToApprove = { client: 'claude-code', tool: 'execute_sql', arguments: '{"query":"SELECT 1"}' };

function queueWith({ waitMs = 30_000 } = {}) {
  const queue = new ApprovalQueue({ waitMs: () => waitMs });
  const shown: number[][] = [];
  queue.subscribe((pending) => shown.push(pending.map(({ id }) => id)));
  const client = new AbortController();
  const ask = (call: CallToApprove = CALL) => queue.askFor(SERVER)(call, client.signal);
  return { queue, shown, client, ask };
}

describe('a call that waits for the user', () => {
  it('is listed with its server and its deadline until it is answered', async () => {
    const { queue, shown, ask } = queueWith();
    const asked = ask();
    expect(queue.pending).toEqual([{ ...CALL, id: 1, server: SERVER, askedAt: 1_000, expiresAt: 31_000 }]);
    queue.answer(1, 'allowed');
    expect(await asked).toBe('allowed');
    expect(queue.pending).toEqual([]);
    expect(shown).toEqual([[1], []]);
  });

  it.each(['allowed', 'refused'] as const)('receives the answer %s, and no other call does', async (answer) => {
    const { queue, ask } = queueWith();
    const [first, second] = [ask(), ask()];
    queue.answer(2, answer);
    expect(await second).toBe(answer);
    expect(queue.pending.map(({ id }) => id)).toEqual([1]);
    queue.answer(1, 'refused');
    expect(await first).toBe('refused');
  });

  it('is dropped when its time is over', async () => {
    const { queue, ask } = queueWith({ waitMs: 5_000 });
    const asked = ask();
    vi.advanceTimersByTime(4_999);
    expect(queue.pending).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(await asked).toBe('late');
    expect(queue.pending).toEqual([]);
  });

  it('leaves the list when its client cancels it or disconnects', async () => {
    const { queue, client, ask } = queueWith();
    const asked = ask();
    client.abort();
    expect(await asked).toBe('late');
    expect(queue.pending).toEqual([]);
    expect(await ask()).toBe('late');
    expect(queue.pending).toEqual([]);
  });

  it('cannot be answered twice', () => {
    const { queue, ask } = queueWith();
    void ask();
    queue.answer(1, 'allowed');
    expect(() => queue.answer(1, 'refused')).toThrow('This call is no longer waiting for an answer.');
    expect(() => queue.find(1)).toThrow('no longer waiting');
  });

  it('is refused at once if fifty are already waiting', async () => {
    const { queue, ask } = queueWith();
    for (let index = 0; index < 50; index += 1) void ask();
    expect(await ask()).toBe('crowded');
    expect(queue.pending).toHaveLength(50);
    queue.answer(7, 'refused');
    void ask();
    expect(queue.pending.at(-1)?.id).toBe(51);
  });

  it('is no longer reported to a listener that has unsubscribed', () => {
    const { queue, ask } = queueWith();
    const listener = vi.fn();
    const unsubscribe = queue.subscribe(listener);
    void ask();
    unsubscribe();
    queue.answer(1, 'allowed');
    expect(listener).toHaveBeenCalledOnce();
  });
});
