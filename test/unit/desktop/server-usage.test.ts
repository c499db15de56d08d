import { describe, expect, it } from 'vitest';
import { type EndedCall, ServerUsage } from '../../../main/desktop/servers/usage.ts';

const SQL = { name: 'sql', profile: 'ana', path: '/api/2.0/mcp/sql' };
const CALL: EndedCall = {
  clientName: 'claude-code',
  profile: 'ana',
  path: SQL.path,
  method: 'tools/call',
  tool: 'execute_sql',
  startedAt: 1_000,
  durationMs: 50,
  outcome: 'answered',
  errorCode: null,
  refusal: null,
};

function usageAfter(...calls: Partial<EndedCall>[]) {
  const usage = new ServerUsage(() => {});
  for (const call of calls) usage.add({ ...CALL, ...call });
  const [of] = usage.of([SQL]);
  usage.close();
  return of;
}

describe('how often a server is used', () => {
  it('counts the calls of tools by client, most frequent first', () => {
    const usage = usageAfter({ clientName: 'cursor-vscode' }, {}, {}, { method: 'tools/list' }, { path: '/elsewhere' });
    expect(usage).toMatchObject({ calls: 3, failed: 0, lastCallAt: 1_050, hasFailedLast: false, lastFailure: null });
    expect(usage?.clients.map(({ name, calls }) => [name, calls])).toEqual([
      ['Claude Code', 2],
      ['Cursor', 1],
    ]);
  });

  it('counts a client that names no profile, and none of another profile', () => {
    expect(usageAfter({ profile: undefined }, { profile: 'ben' })).toMatchObject({ calls: 1 });
  });

  it.each([
    ['tool-error', null, 'The tool reported an error.'],
    ['error', -32602, 'The server returned error -32602.'],
    ['error', null, 'The server returned an error.'],
    ['lost', null, 'The connection ended before the response arrived.'],
  ] as const)('describes a call that ended as %s with %s', (outcome, errorCode, words) => {
    expect(usageAfter({}, { outcome, errorCode })).toMatchObject({
      failed: 1,
      hasFailedLast: true,
      lastFailure: { at: 1_050, tool: 'execute_sql', client: 'Claude Code', words },
    });
  });

  it('describes a call that the workspace refused with who refused it', () => {
    expect(usageAfter({ outcome: 'error', errorCode: -32003, refusal: 'policy' })?.lastFailure?.words).toBe(
      'Refused: service policy.',
    );
  });

  it('keeps the last failure, and clears its mark, after a call that succeeds', () => {
    const usage = usageAfter({ outcome: 'lost' }, { startedAt: 2_000 });
    expect(usage).toMatchObject({ hasFailedLast: false, lastFailure: { at: 1_050 } });
  });

  it('does not count a canceled call as a failure', () => {
    expect(usageAfter({ outcome: 'cancelled' })).toMatchObject({ calls: 1, failed: 0, hasFailedLast: false });
  });

  it('counts what the user has tried, without a client', () => {
    const usage = new ServerUsage(() => {});
    usage.addTried(SQL, 'execute_sql', 'No such table');
    expect(usage.of([SQL])).toMatchObject([
      { calls: 1, hasFailedLast: true, lastFailure: { client: null, words: 'No such table' }, clients: [] },
    ]);
    usage.close();
  });
});
