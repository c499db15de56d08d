import { describe, expect, it } from 'vitest';
import { auditedCall } from '../../../main/audit/audited-call.ts';
import { auditedEvent } from '../../../main/audit/audited-event.ts';
import type { Origin } from '../../../main/audit/origin.ts';
import { endedCall } from '../../ended-call.ts';

const ORIGIN: Origin = {
  instance: '627cc493-f310-47de-96bd-71410b7dec09',
  host: 'laptop',
  osUser: 'ana',
  program: 'command',
};
const AZURE = { host: 'https://adb-8412345.7.azuredatabricks.net', workspaceId: undefined };

describe('an audited call', () => {
  it('says who made it, from where, to which workspace, in which session', () => {
    const statement = { id: '01f0', state: 'SUCCEEDED', isPoll: false, isPinned: false };
    const call = endedCall({ user: 'ana@example.com', workspace: AZURE, session: 3, statement });
    expect(auditedCall(call, ORIGIN)).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      client: 'claude-ai',
      profile: 'ana',
      server: '/api/2.0/mcp/sql',
      method: 'tools/call',
      tool: 'execute_sql',
      outcome: 'answered',
      errorCode: null,
      refusal: null,
      durationMs: 1,
      event: 'call',
      clientVersion: '1.2',
      user: 'ana@example.com',
      osUser: 'ana',
      host: 'laptop',
      workspace: AZURE.host,
      workspaceId: '8412345',
      session: `${ORIGIN.instance}/3`,
      requestId: '1',
      statementId: '01f0',
      traceparent: null,
    });
  });

  it.each([
    ['7', '7'],
    ['"req-7:a"', 'req-7:a'],
    ['"SELECT 1 FROM t"', '(unusual id)'],
    [JSON.stringify('a"b'), '(unusual id)'],
    ['null', 'null'],
  ])('with the id %s has the id %s', (requestId, kept) => {
    expect(auditedCall(endedCall({ requestId }), ORIGIN)?.requestId).toBe(kept);
  });

  it.each([
    [{ host: 'https://a.cloud.databricks.com', workspaceId: '42' }, '42'],
    [{ host: 'https://a.cloud.databricks.com', workspaceId: undefined }, null],
    [{ host: 'https://adb-7.1.azuredatabricks.net.example.com', workspaceId: undefined }, null],
    [null, null],
  ])('to %j has the workspace’s number %s', (workspace, number) => {
    expect(auditedCall(endedCall({ workspace }), ORIGIN)?.workspaceId).toBe(number);
  });

  it('has no user’s name that is none', () => {
    const user = 'ana\nSELECT 1';
    expect(auditedCall(endedCall({ user }), ORIGIN)?.user).toBe('(unusual name)');
  });
});

it('an audited event has the facts of its kind beside who and where', () => {
  const facts = { profile: 'ana', workspace: AZURE.host, workspaceId: null, user: 'ana@example.com' };
  expect(auditedEvent({ event: 'sign-in', facts }, ORIGIN, 0)).toEqual({
    at: '1970-01-01T00:00:00.000Z',
    event: 'sign-in',
    by: 'command',
    user: 'ana@example.com',
    osUser: 'ana',
    host: 'laptop',
    workspace: AZURE.host,
    workspaceId: '8412345',
    profile: 'ana',
  });
});
