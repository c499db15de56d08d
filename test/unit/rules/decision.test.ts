import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, isWithoutRules, onlyReads, serverKey, type ToolUse } from '../../../main/rules/decision.ts';
import type { Rules } from '../../../main/rules/rules.ts';

const HOST = 'https://acme.cloud.databricks.com';
const SQL = serverKey(HOST, '/api/2.0/mcp/sql');
const GENIE = serverKey(HOST, '/api/2.0/mcp/genie/0a1b');
const CODEX = { name: 'Codex', wireNames: ['codex-mcp-client'] };

const use = (tool: string, more: Partial<ToolUse> = {}): ToolUse => ({
  server: GENIE,
  tool,
  client: 'codex-mcp-client',
  hints: undefined,
  ...more,
});
const rules = (of: Omit<Rules, 'version'>): Rules => ({ version: 1, ...of });

describe('serverKey', () => {
  it.each([
    '/api/2.0/mcp/sql/',
    '/api/2.0/mcp/%73ql',
    '/API/2.0/mcp/SQL',
    '/api//2.0/mcp/sql',
    '/api/2.0/x/../mcp/sql',
    '/api/2.0/mcp/sql?x=1',
  ])('is the same for %s as for the plain path', (path) => {
    expect(serverKey(HOST, path)).toBe(SQL);
  });

  it('differs between hosts and between paths', () => {
    expect(serverKey('https://other.cloud.databricks.com', '/api/2.0/mcp/sql')).not.toBe(SQL);
    expect(GENIE).not.toBe(SQL);
  });

  it('keeps a percent sign that encodes nothing', () => {
    expect(serverKey(HOST, '/api/2.0/mcp/functions/a%')).toBe(`${HOST}/api/2.0/mcp/functions/a%`);
  });
});

describe('onlyReads', () => {
  it.each([
    ['execute_sql_read_only', SQL, undefined, true],
    ['poll_sql_result', SQL, undefined, true],
    ['execute_sql', SQL, { readOnlyHint: true }, false],
    ['Execute_SQL', SQL, { readOnlyHint: true }, false],
    ['execute_sql', serverKey(HOST, '/ai-gateway/mcp-services/system.ai.dbsql'), { readOnlyHint: true }, false],
    ['execute_sql', GENIE, { readOnlyHint: true }, true],
    ['ask', GENIE, { readOnlyHint: true }, true],
    ['ask', GENIE, { readOnlyHint: true, destructiveHint: true }, false],
    ['ask', GENIE, {}, false],
    ['ask', GENIE, undefined, undefined],
  ] as const)('says of %s at %s with the hints %o: %s', (tool, server, hints, expected) => {
    expect(onlyReads(server, tool, hints)).toBe(expected);
  });
});

describe('decide', () => {
  it('allows everything where there are no rules', () => {
    expect(decide(rules({}), use('ask'))).toEqual({ do: 'allow' });
  });

  it('refuses a tool that is off for the server, however its name is spelled', () => {
    const off = rules({ servers: { [GENIE]: { off: ['ask'] } } });
    for (const tool of ['ask', 'ASK', ' ask ', 'ａｓｋ']) {
      expect(decide(off, use(tool))).toEqual({ do: 'refuse', why: 'off', by: { scope: 'server' } });
    }
    expect(decide(off, use('asked'))).toEqual({ do: 'allow' });
    expect(decide(off, use('ask', { server: SQL }))).toEqual({ do: 'allow' });
  });

  it('lets the rule of a client decide against the rule of the server', () => {
    const both = rules({
      clients: { codex: CODEX },
      servers: { [GENIE]: { off: ['ask'], clients: { codex: { on: ['ask'] } } } },
    });
    expect(decide(both, use('ask'))).toEqual({ do: 'allow' });
    expect(decide(both, use('ask', { client: 'cursor' })).do).toBe('refuse');
  });

  it('applies the strictest rule of any client to a client that has not named itself', () => {
    const one = rules({ clients: { codex: CODEX }, servers: { [GENIE]: { clients: { codex: { ask: ['ask'] } } } } });
    expect(decide(one, use('ask', { client: undefined })).do).toBe('ask');
    expect(decide(one, use('ask', { client: 'cursor' })).do).toBe('allow');
  });

  it('knows a client that puts the name of a server behind its own', () => {
    const qwen = rules({ clients: { qwen: { name: 'Qwen', wireNames: ['qwen-cli-mcp-client'], readOnly: true } } });
    expect(decide(qwen, use('ask', { client: 'Qwen-CLI-mcp-client-databricks', hints: {} }))).toEqual({
      do: 'refuse',
      why: 'read-only',
      by: { scope: 'client', name: 'Qwen' },
    });
  });

  it.each([
    ['on', { do: 'allow' }],
    ['ask', { do: 'ask', by: { scope: 'server' } }],
    ['off', { do: 'refuse', why: 'new', by: { scope: 'server' } }],
  ] as const)('decides about a tool that no list names by the default %s', (newTools, expected) => {
    const some = rules({ all: { newTools: 'off' }, servers: { [GENIE]: { newTools, on: ['known'] } } });
    expect(decide(some, use('renamed'))).toEqual(expected);
    expect(decide(some, use('known'))).toEqual({ do: 'allow' });
  });

  it('refuses a tool of which it is not known whether it only reads', () => {
    expect(decide(rules({ all: { readOnly: true } }), use('ask'))).toEqual({
      do: 'refuse',
      why: 'unlisted',
      by: { scope: 'everything' },
    });
  });

  it('lets a client of a server write where only the server is read-only, not where everything is', () => {
    const exception = { [GENIE]: { readOnly: true, clients: { codex: { readOnly: false } } } };
    const clients = { codex: CODEX };
    expect(decide(rules({ clients, servers: exception }), use('ask', { hints: {} }))).toEqual({ do: 'allow' });
    const strict = rules({ clients, servers: exception, all: { readOnly: true } });
    expect(decide(strict, use('ask', { hints: {} })).do).toBe('refuse');
  });

  it('never allows a tool that is off or that may write under read only, whatever else the rules say', () => {
    const state = fc.constantFrom('on', 'off', 'ask');
    const toolRules = fc.record(
      {
        readOnly: fc.boolean(),
        newTools: state,
        on: fc.subarray(['a', 'b']),
        off: fc.subarray(['a', 'b']),
        ask: fc.subarray(['a', 'b']),
      },
      { requiredKeys: [] },
    );
    const hints = fc.option(fc.record({ readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() }), {
      nil: undefined,
    });
    fc.assert(
      fc.property(
        toolRules,
        toolRules,
        fc.boolean(),
        fc.constantFrom('a', 'b', 'c'),
        hints,
        (own, of, all, tool, hint) => {
          const some = rules({
            all: { readOnly: all },
            clients: { codex: CODEX },
            servers: { [GENIE]: { ...of, clients: { codex: own } } },
          });
          const decision = decide(some, use(tool, { hints: hint }));
          const isOff =
            own.off?.includes(tool) || (of.off?.includes(tool) && !own.on?.includes(tool) && !own.ask?.includes(tool));
          const isReadOnly = all || (own.readOnly ?? of.readOnly ?? false);
          if (isOff || (isReadOnly && onlyReads(GENIE, tool, hint) !== true)) expect(decision.do).toBe('refuse');
          if (decision.do !== 'allow') expect(isWithoutRules(some, GENIE)).toBe(false);
        },
      ),
    );
  });
});
