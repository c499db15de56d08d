import { describe, expect, it } from 'vitest';
import { clientOfCall } from '../../../main/app/permissions.ts';
import { approvalWaits, questionWaits } from '../../../main/clients/approval-waits.ts';
import { CLIENTS, clientOnWire } from '../../../main/clients/table.ts';
import { approvalBounds } from '../../../main/desktop/approvals/approval-bounds.ts';
import { approvalForWindow, beginningOf } from '../../../main/desktop/approvals/shown-approval.ts';
import { decide } from '../../../main/permissions/decide.ts';
import { type Permissions, parsePermissions, withEdit } from '../../../main/permissions/permissions.ts';
import { NO_POLICY } from '../../../main/permissions/policy/policy.ts';
import type { ConfiguredServer } from '../../../preload/contract.ts';
import { questionOf } from '../../../preload/format.ts';
import { known } from './states.ts';

const SERVERS: ConfiguredServer[] = [
  {
    name: 'databricks-sql',
    profile: 'ana',
    kind: 'sql',
    path: '/api/2.0/mcp/sql',
    type: 'sql',
    title: 'databricks-sql',
    successor: null,
    state: { status: 'ready', tools: 3, label: '', words: '', remedy: null, retryAt: null, action: null },
  },
];

const approval = (
  args: string,
  { client, profile = 'ana', warehouseId }: { client?: string; profile?: string; warehouseId?: string } = {},
) =>
  approvalForWindow(
    {
      id: 4,
      client,
      tool: 'execute_sql',
      arguments: args,
      warehouseId,
      server: { profile, path: '/api/2.0/mcp/sql', key: '' },
      readsOnly: false,
      askedAt: 0,
      expiresAt: 45_000,
      canExtend: true,
    },
    { ...known(), servers: SERVERS, profile: 'ana' },
  );

describe('a call that waits, in the window', () => {
  it('names the client and the server as the user does, and shows SQL as SQL', () => {
    const shown = approval('{"query":"SELECT\\n 1","limit":5}', { client: 'claude-code' });
    expect(shown).toMatchObject({
      client: 'Claude Code',
      server: 'databricks-sql',
      statement: 'SELECT\n 1',
      arguments: '{\n  "limit": 5\n}',
      tooLong: null,
      expiresAt: 45_000,
    });
    expect(questionOf(shown)).toBe('Claude Code wants to use execute_sql');
    expect(beginningOf(shown)).toBe('SELECT 1');
  });

  it('shows each number as the client wrote it', () => {
    const args = '{"query":"SELECT 1","id":9007199254740993002,"of":[1e400,-0,0.10000000000000000001,5]}';
    expect(JSON.stringify(approval(args).arguments?.replace(/\s/g, ''))).toBe(
      JSON.stringify('{"id":9007199254740993002,"of":[1e400,-0,0.10000000000000000001,5]}'),
    );
  });

  it('is named by its path if its server is not in the list', () => {
    expect(approval('{}', { profile: 'ben' }).server).toBe('/api/2.0/mcp/sql');
  });

  it('without arguments shows none', () => {
    const shown = approval('{}');
    expect(shown).toMatchObject({ client: null, mark: null, statement: null, arguments: null });
    expect(questionOf(shown)).toBe('An AI client wants to use execute_sql');
    expect(beginningOf(shown)).toBe('');
  });

  it.each(['[1]', '"text"', 'null', '{"query":5}'])('with the arguments %s shows them as JSON', (args) => {
    expect(approval(args).statement).toBeNull();
    expect(JSON.parse(approval(args).arguments ?? '')).toEqual(JSON.parse(args));
  });

  it('with very long arguments says how much is left out', () => {
    const shown = approval(JSON.stringify({ query: 'x'.repeat(100_007) }));
    expect(shown.statement).toHaveLength(100_000);
    expect(shown.tooLong).toContain('7 more characters');
    expect(beginningOf(shown).length).toBeLessThanOrEqual(80);
  });

  it('names the warehouse that its SQL runs on, if that is known', () => {
    expect(approval('{}').warehouse).toBe('Shared analytics');
    expect(approval('{}', { profile: 'ben' }).warehouse).toBeNull();
    // The call itself may name one, by its client or by a pin.
    expect(approval('{}', { warehouseId: '0123456789abcdef' }).warehouse).toBe('0123456789abcdef');
    expect(approval('{}', { profile: 'ben', warehouseId: 'a\u202eb' }).warehouse).not.toContain('\u202e');
    const { id } = Object(known().warehouse).effective.warehouse;
    expect(approval('{}', { warehouseId: id }).warehouse).toBe('Shared analytics');
  });

  it('shows what cannot be seen by its code, and line ends and tabs as they are', () => {
    const shown = approval(JSON.stringify({ query: 'SELECT\u00a01 --\u202e\r\n\tx', 'a\u200b': 1 }));
    expect(shown.statement).toBe('SELECT⟨U+00A0⟩1 --⟨U+202E⟩\n\tx');
    expect(shown.arguments).toBe('{\n  "a⟨U+200B⟩": 1\n}');
  });

  it('has a one-line preview that shows no control characters', () => {
    const beginning = beginningOf(approval(JSON.stringify({ query: 'SELECT\u001b[31m \u202e1' })));
    expect(beginning).toContain('SELECT');
    for (const character of ['\u001b', '\u202e']) expect(beginning).not.toContain(character);
  });
});

describe('the time that a call can wait', () => {
  it('ends before the client gives up, with all extensions', () => {
    for (const { wireNames, patience } of CLIENTS) {
      const [name] = wireNames;
      if (name === undefined) continue;
      const { firstMs, mostMs } = approvalWaits(name);
      expect(firstMs, name).toBeLessThan(patience?.ms ?? 60_000);
      expect(firstMs, name).toBeGreaterThanOrEqual(30_000);
      expect(mostMs, name).toBeGreaterThanOrEqual(firstMs);
      if (patience) expect(mostMs, name).toBeLessThan(patience.ms);
    }
  });

  it('is 45 s for an unknown client, and longer if the user wants', () => {
    for (const name of ['something-new', undefined]) {
      expect(approvalWaits(name)).toEqual({ firstMs: 45_000, mostMs: 900_000 });
    }
  });

  it('is known for questions through a client only if the client shows them to a person', () => {
    const { firstMs } = approvalWaits('claude-code');
    expect(questionWaits('claude-code')).toEqual({ name: 'Claude Code', firstMs });
    expect(questionWaits('something-new')).toBeUndefined();
    expect(questionWaits('cursor-vscode')).toBeUndefined();
  });
});

describe('the window with the calls that wait', () => {
  it('is in the middle of the screen, away from notifications and panels', () => {
    const area = { x: 100, y: 30, width: 1820, height: 1000 };
    expect(approvalBounds(area)).toEqual({ x: 750, y: 230, width: 520, height: 400 });
  });

  it('does not leave a small screen', () => {
    const small = { x: 0, y: 0, width: 400, height: 300 };
    expect(approvalBounds(small)).toEqual(small);
  });
});

describe('a tool that is always allowed for a client', () => {
  const server = 'https://acme.example/api/2.0/mcp/sql';
  const use = { server, tool: 'drop', hints: undefined };
  const allowAlways = (permissions: Permissions, wireName: string) =>
    withEdit(permissions, { server, client: clientOfCall(wireName) }, { on: ['drop'] });

  it.each([...CLIENTS.filter(({ wireNames }) => wireNames.length > 0).map(({ id }) => id), '__proto__', 'constructor'])(
    'is so for one that calls itself %s, and the permissions of all other clients stay',
    async (wireName) => {
      const off = withEdit({ version: 1 }, { server }, { off: ['drop'] });
      const others = CLIENTS.filter(({ id, wireNames }) => wireNames.length > 0 && id !== clientOnWire(wireName)?.id);
      const before = others.reduce((permissions, client) => withEdit(permissions, { client }, { readOnly: true }), off);
      const after = await parsePermissions('', Buffer.from(JSON.stringify(allowAlways(before, wireName))));
      expect(decide({ own: after, policy: NO_POLICY }, { ...use, client: wireName })).toEqual({ do: 'allow' });
      for (const { id, wireNames } of others) {
        expect([id, decide({ own: after, policy: NO_POLICY }, { ...use, client: wireNames[0] })]).toEqual([
          id,
          expect.objectContaining({ do: 'block' }),
        ]);
      }
    },
  );
});
