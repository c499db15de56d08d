import { describe, expect, it } from 'vitest';
import { CLIENTS, clientOnWire } from '../../../main/clients/table.ts';
import {
  approvalForWindow,
  approvalWaitMs,
  beginningOf,
  questionOf,
  ruleClientOf,
} from '../../../main/desktop/rules.ts';
import { decide } from '../../../main/rules/decision.ts';
import { parseRules, type Rules, withEdit } from '../../../main/rules/rules.ts';
import type { ConfiguredServer } from '../../../preload/contract.ts';

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

const approval = (args: string, { client, profile = 'ana' }: { client?: string; profile?: string } = {}) =>
  approvalForWindow(
    {
      id: 4,
      client,
      tool: 'execute_sql',
      arguments: args,
      server: { profile, path: '/api/2.0/mcp/sql', key: '' },
      askedAt: 0,
      expiresAt: 45_000,
    },
    SERVERS,
  );

describe('a call that waits, in the window', () => {
  it('names the client and the server as the user does, and shows SQL as SQL', () => {
    const shown = approval('{"query":"SELECT\\n 1","limit":5}', { client: 'claude-code' });
    expect(shown).toMatchObject({
      client: 'Claude Code',
      server: 'databricks-sql',
      statement: 'SELECT\n 1',
      arguments: '{\n  "limit": 5\n}',
      cut: 0,
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
    const shown = approval(JSON.stringify({ query: 'x'.repeat(20_007) }));
    expect(shown.statement).toHaveLength(20_000);
    expect(shown.cut).toBe(7);
    expect(beginningOf(shown).length).toBeLessThanOrEqual(80);
  });

  it('has a one-line preview that shows no control characters', () => {
    const beginning = beginningOf(approval(JSON.stringify({ query: 'SELECT\u001b[31m \u202e1' })));
    expect(beginning).toContain('SELECT');
    for (const character of ['\u001b', '\u202e']) expect(beginning).not.toContain(character);
  });
});

describe('the time that a call can wait', () => {
  it('ends before the client gives up', () => {
    for (const { wireNames, patience } of CLIENTS) {
      const [name] = wireNames;
      if (name === undefined) continue;
      expect(approvalWaitMs(name), name).toBeLessThan(patience?.ms ?? 60_000);
      expect(approvalWaitMs(name), name).toBeGreaterThanOrEqual(30_000);
    }
  });

  it('is 45 s for an unknown client', () => {
    expect(approvalWaitMs('something-new')).toBe(45_000);
    expect(approvalWaitMs(undefined)).toBe(45_000);
  });
});

describe('a tool that is always allowed for a client', () => {
  const server = 'https://acme.example/api/2.0/mcp/sql';
  const use = { server, tool: 'drop', hints: undefined };
  const allowAlways = (rules: Rules, wireName: string) =>
    withEdit(rules, { server, client: ruleClientOf(wireName) }, { on: ['drop'] });

  it.each([...CLIENTS.filter(({ wireNames }) => wireNames.length > 0).map(({ id }) => id), '__proto__', 'constructor'])(
    'is so for one that calls itself %s, and the rules of all other clients stay',
    async (wireName) => {
      const off = withEdit({ version: 1 }, { server }, { off: ['drop'] });
      const others = CLIENTS.filter(({ id, wireNames }) => wireNames.length > 0 && id !== clientOnWire(wireName)?.id);
      const before = others.reduce((rules, client) => withEdit(rules, { client }, { readOnly: true }), off);
      const after = await parseRules('', Buffer.from(JSON.stringify(allowAlways(before, wireName))));
      expect(decide(after, { ...use, client: wireName })).toEqual({ do: 'allow' });
      for (const { id, wireNames } of others) {
        expect([id, decide(after, { ...use, client: wireNames[0] })]).toEqual([
          id,
          expect.objectContaining({ do: 'refuse' }),
        ]);
      }
    },
  );
});
