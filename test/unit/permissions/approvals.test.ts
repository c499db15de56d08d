import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApprovalQueue, type CallToApprove } from '../../../main/permissions/approvals.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000 }));
afterEach(() => void vi.useRealTimers());

const SERVER = { profile: 'ana', path: '/api/2.0/mcp/sql', key: 'https://a.example.com/api/2.0/mcp/sql' };
const CALL: CallToApprove = { client: 'claude-code', tool: 'execute_sql', arguments: '{"query":"SELECT 1"}' };

function queueWith({ firstMs = 30_000, mostMs = 200_000 } = {}) {
  const queue = new ApprovalQueue({ waits: () => ({ firstMs, mostMs }) });
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
    expect(queue.pending).toEqual([
      { ...CALL, id: 1, server: SERVER, readsOnly: false, askedAt: 1_000, expiresAt: 31_000, canExtend: true },
    ]);
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
    const { queue, ask } = queueWith({ firstMs: 5_000 });
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

describe('more time', () => {
  it('is two minutes, as often as the client waits that long', async () => {
    const { queue, ask } = queueWith({ firstMs: 30_000, mostMs: 200_000 });
    const asked = ask();
    queue.extend(1);
    expect(queue.find(1)).toMatchObject({ expiresAt: 151_000, canExtend: true });
    queue.extend(1);
    expect(queue.find(1)).toMatchObject({ expiresAt: 201_000, canExtend: false });
    expect(() => queue.extend(1)).toThrow('does not wait any longer');
    vi.advanceTimersByTime(199_999);
    expect(queue.pending).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(await asked).toBe('late');
  });

  it('cannot be had for a client that waits no longer', () => {
    const { queue, ask } = queueWith({ firstMs: 30_000, mostMs: 30_000 });
    void ask();
    expect(queue.find(1).canExtend).toBe(false);
    expect(() => queue.extend(1)).toThrow('does not wait any longer');
    expect(() => queue.extend(2)).toThrow('no longer waiting');
  });
});

describe('what is allowed for some time', () => {
  const other = { ...SERVER, key: 'https://b.example.com/api/2.0/mcp/sql' };
  const read: CallToApprove = { ...CALL, tool: 'execute_sql_read_only' };
  const isWaiting = async (asked: Promise<unknown>) => (await Promise.race([asked, 'waits'])) === 'waits';

  it('is every call of one tool by one client at one server, until then', async () => {
    const { queue, client, ask } = queueWith();
    const [first, second] = [ask(), ask()];
    queue.allowUntil(1, 'tool', 61_000);
    expect(await Promise.all([first, second, ask()])).toEqual(['allowed', 'allowed', 'allowed']);
    expect(queue.allowances).toEqual([{ client: 'claude-code', server: SERVER, tool: 'execute_sql', until: 61_000 }]);
    for (const asked of [
      ask({ ...CALL, client: 'cursor' }),
      ask({ ...CALL, client: undefined }),
      ask(read),
      ask({ ...CALL, isManaged: true }),
      queue.askFor(other)(CALL, client.signal),
      queue.askFor({ ...SERVER, profile: 'ben' })(CALL, client.signal),
    ])
      expect(await isWaiting(asked)).toBe(true);
    vi.setSystemTime(61_000);
    expect(await isWaiting(ask())).toBe(true);
    expect(queue.allowances).toEqual([]);
  });

  it('can be every tool of a server that is known to only read', async () => {
    const { queue, ask } = queueWith();
    void ask(read);
    queue.allowUntil(1, 'reads', 61_000);
    expect(await ask({ ...CALL, tool: 'poll_sql_result' })).toBe('allowed');
    expect(await ask({ ...CALL, tool: 'list', hints: { readOnlyHint: true } })).toBe('allowed');
    expect(await isWaiting(ask())).toBe(true);
    expect(await isWaiting(ask({ ...CALL, tool: 'list' }))).toBe(true);
  });

  it('is allowed as the user of that call alone, and not as another one who has signed in meanwhile', async () => {
    const { queue, ask } = queueWith();
    const asAna = { ...CALL, user: 'ana@example.com' };
    void ask(asAna);
    queue.allowUntil(1, 'tool', 61_000);
    expect(await ask(asAna)).toBe('allowed');
    for (const user of ['ben@example.com', undefined]) expect(await isWaiting(ask({ ...CALL, user }))).toBe(true);
  });

  it('ends when the user says so', async () => {
    const { queue, ask } = queueWith();
    void ask();
    queue.allowUntil(1, 'tool', 61_000);
    queue.endAllowances();
    expect(await isWaiting(ask())).toBe(true);
  });

  it.each([
    ['a client that gives no name', { client: undefined }, 'did not give its name'],
    ['an organization that wants each call approved', { isManaged: true }, 'Your organization has each of these calls'],
  ])('is nothing for %s', async (_whose, change, text) => {
    const { queue, ask } = queueWith();
    const asked = ask({ ...CALL, ...change });
    expect(() => queue.allowUntil(1, 'tool', 61_000)).toThrow(text);
    expect(await isWaiting(asked)).toBe(true);
  });
});
