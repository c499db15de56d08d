import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Decision,
  decide as decideHere,
  isUnrestricted,
  onlyReads,
  type ToolUse,
} from '../../../main/permissions/decide.ts';
import type { Permissions } from '../../../main/permissions/permissions.ts';
import { NO_POLICY, type Policy } from '../../../main/permissions/policy/policy.ts';
import { keyOfAddress, serverKey } from '../../../main/permissions/server-key.ts';
import { CausewayError } from '../../../main/platform/errors.ts';

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
const permissions = (of: Omit<Permissions, 'version'>): Permissions => ({ version: 1, ...of });
const decide = (own: Permissions, of: ToolUse): Decision => decideHere({ own, policy: NO_POLICY }, of);

describe('serverKey', () => {
  it.each([
    '/api/2.0/mcp/sql/',
    '/api/2.0/mcp/%73ql',
    '/API/2.0/mcp/SQL',
    '/api/2.0/mcp/sql?x=1',
    '/api/2.0/mcp/sql/?o=1',
  ])('is the same for %s as for the plain path', (path) => {
    expect(serverKey(HOST, path)).toBe(SQL);
  });

  it('differs between hosts and between paths', () => {
    expect(serverKey('https://other.cloud.databricks.com', '/api/2.0/mcp/sql')).not.toBe(SQL);
    expect(GENIE).not.toBe(SQL);
  });

  it('keeps what is not the path of a server, which no permission names', () => {
    expect(serverKey(HOST, '/api/2.0/mcp/functions/a%')).toBe(`${HOST}/api/2.0/mcp/functions/a%`);
    expect(keyOfAddress('https://*.cloud.databricks.com/api/2.0/mcp/sql')).toBeUndefined();
    expect(keyOfAddress(`${HOST}/api/2.0/mcp/functions/a%`)).toBeUndefined();
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
    ['ask', SQL, { readOnlyHint: true }, true],
    ['execute_sql', serverKey(HOST, '/api/2.0/mcp/sql/more'), { readOnlyHint: true }, true],
    ['ask', GENIE, { readOnlyHint: true, destructiveHint: true }, false],
    ['ask', GENIE, {}, false],
    ['ask', GENIE, undefined, undefined],
  ] as const)('says for %s at %s with the hints %o: %s', (tool, server, hints, expected) => {
    expect(onlyReads(server, tool, hints)).toBe(expected);
  });
});

describe('decide', () => {
  it('allows everything if there are no permissions', () => {
    expect(decide(permissions({}), use('ask'))).toEqual({ do: 'allow' });
  });

  it('refuses a tool that is off for the server, however its name is spelled', () => {
    const off = permissions({ servers: { [GENIE]: { off: ['ask'] } } });
    for (const tool of ['ask', 'ASK', ' ask ', 'ａｓｋ']) {
      expect(decide(off, use(tool))).toEqual({ do: 'block', why: 'off', by: { who: 'user', scope: 'server' } });
    }
    expect(decide(off, use('asked'))).toEqual({ do: 'allow' });
    expect(decide(off, use('ask', { server: SQL }))).toEqual({ do: 'allow' });
  });

  it.each([
    ['a zero-width space', 'a\u200bsk'],
    ['a mark of direction', '\u202eask'],
    ['a control character', 'ask\u0000'],
    ['a soft hyphen before a wide letter', 'a\u00ad\uff53k'],
    ['half of a pair', 'as\ud800k'],
    ['what bytes that are no UTF-8 become', 'as\ufffdk'],
    ['a mark before a space', '\ufeff ask'],
  ])('refuses a tool that is off if its name has %s', (_what, tool) => {
    const off = permissions({ servers: { [GENIE]: { off: ['ask'] } } });
    expect(decide(off, use(tool))).toMatchObject({ do: 'block', why: 'off' });
  });

  it('refuses a tool that is off in every spelling that differs in case, form or what nobody sees', () => {
    const invisible = fc.constantFrom('', '\u200b', '\u200d', '\u2060', '\u00ad', '\u0007', '\ufe0f', '\ufffd');
    const spell = fc.constantFrom<(letter: string) => string>(
      (letter) => letter,
      (letter) => letter.toUpperCase(),
      (letter) => letter.toLowerCase(),
      (letter) => letter.normalize('NFD'),
      (letter) => (/[!-~]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) + 0xfee0) : letter),
    );
    fc.assert(
      fc.property(
        fc.constantFrom('execute_sql', 'dröp', 'Straße', 'ΟΔΟΣ', 'İzin'),
        fc.array(fc.tuple(spell, invisible), { minLength: 12, maxLength: 12 }),
        (name, how) => {
          const spelled = Array.from(name, (letter, at) => `${how[at]?.[0](letter)}${how[at]?.[1]}`).join('');
          const off = permissions({ servers: { [GENIE]: { off: [name] } } });
          expect(decide(off, use(spelled))).toMatchObject({ do: 'block', why: 'off' });
        },
      ),
    );
  });

  it('lets the permission of a client override the permission of the server', () => {
    const both = permissions({
      clients: { codex: CODEX },
      servers: { [GENIE]: { off: ['ask'], clients: { codex: { on: ['ask'] } } } },
    });
    expect(decide(both, use('ask'))).toEqual({ do: 'allow' });
    expect(decide(both, use('ask', { client: 'cursor' })).do).toBe('block');
  });

  it('applies the strictest permission of any client to a client that has not named itself', () => {
    const one = permissions({
      clients: { codex: CODEX },
      servers: { [GENIE]: { clients: { codex: { ask: ['ask'] } } } },
    });
    expect(decide(one, use('ask', { client: undefined })).do).toBe('ask');
    expect(decide(one, use('ask', { client: 'cursor' })).do).toBe('allow');
  });

  it('applies refusals before approvals to a client that has not named itself', () => {
    const clients = { codex: CODEX, cursor: { name: 'Cursor', wireNames: ['cursor-vscode'] } };
    const two = { codex: { ask: ['ask'] }, cursor: { off: ['ask'] } };
    const some = permissions({ clients, servers: { [GENIE]: { clients: two } } });
    expect(decide(some, use('ask', { client: undefined }))).toMatchObject({ do: 'block', by: { name: 'Cursor' } });
    expect(decide(some, use('other', { client: undefined }))).toEqual({ do: 'allow' });
  });

  it('knows a client by each of its names, and applies no client’s permission to an unknown name', () => {
    const codex = { name: 'Codex', wireNames: ['codex-mcp-client', 'codex-ide'] };
    const some = permissions({ clients: { codex }, servers: { [GENIE]: { clients: { codex: { off: ['ask'] } } } } });
    const by = { who: 'user', scope: 'client-of-server', name: 'Codex' };
    for (const client of codex.wireNames) {
      expect(decide(some, use('ask', { client }))).toEqual({ do: 'block', why: 'off', by });
    }
    for (const client of ['', 'other']) expect(decide(some, use('ask', { client })).do).toBe('allow');
  });

  it('has no permission for a client at a server that has none for it, or at another server', () => {
    const clients = { codex: { ...CODEX, readOnly: true } };
    const by = { who: 'user', scope: 'client', name: 'Codex' };
    for (const servers of [undefined, {}, { [GENIE]: {} }, { [SQL]: { off: ['ask'] } }]) {
      const some = permissions({ clients, ...(servers && { servers }) });
      expect(decide(some, use('ask', { hints: {} }))).toEqual({ do: 'block', why: 'read-only', by });
      expect(decide(some, use('ask', { hints: { readOnlyHint: true } }))).toEqual({ do: 'allow' });
    }
  });

  it('names a permission for a client whose name is not in the permissions without a client name', () => {
    const some = permissions({
      clients: { codex: { ...CODEX, name: '' } },
      servers: { [GENIE]: { clients: { codex: { ask: ['ask'] } } } },
    });
    expect(decide(some, use('ask'))).toEqual({ do: 'ask', by: { who: 'user', scope: 'client-of-server', name: '' } });
  });

  it.each([
    [
      'the client at the server',
      { clients: { codex: { newTools: 'off' } } },
      'on',
      { who: 'user', scope: 'client-of-server', name: 'Codex' },
    ],
    ['the server', { newTools: 'off', clients: { codex: {} } }, 'on', { who: 'user', scope: 'server' }],
    ['everything', { clients: { codex: {} } }, 'off', { who: 'user', scope: 'everything' }],
  ] as const)('says that the default of %s has refused a new tool', (_whose, ofServer, newTools, by) => {
    const some = permissions({ all: { newTools }, clients: { codex: CODEX }, servers: { [GENIE]: ofServer } } as Omit<
      Permissions,
      'version'
    >);
    expect(decide(some, use('new'))).toEqual({ do: 'block', why: 'new', by });
  });

  it.each([
    [
      'the client at the server',
      { clients: { codex: { readOnly: true } } },
      { who: 'user', scope: 'client-of-server', name: 'Codex' },
    ],
    ['the server', { readOnly: true, clients: { codex: {} } }, { who: 'user', scope: 'server' }],
  ])('says that %s is read only', (_whose, ofServer, by) => {
    const some = permissions({ clients: { codex: CODEX }, servers: { [GENIE]: ofServer } });
    expect(decide(some, use('ask', { hints: {} }))).toEqual({ do: 'block', why: 'read-only', by });
  });

  it('recognizes a client that appends the name of a server to its own', () => {
    const qwen = permissions({
      clients: { qwen: { name: 'Qwen', wireNames: ['qwen-cli-mcp-client'], readOnly: true } },
    });
    expect(decide(qwen, use('ask', { client: 'Qwen-CLI-mcp-client-databricks', hints: {} }))).toEqual({
      do: 'block',
      why: 'read-only',
      by: { who: 'user', scope: 'client', name: 'Qwen' },
    });
  });

  it.each([
    ['on', { do: 'allow' }],
    ['ask', { do: 'ask', by: { who: 'user', scope: 'server' } }],
    ['off', { do: 'block', why: 'new', by: { who: 'user', scope: 'server' } }],
  ] as const)('decides about a tool that no list names by the default %s', (newTools, expected) => {
    const some = permissions({ all: { newTools: 'off' }, servers: { [GENIE]: { newTools, on: ['known'] } } });
    expect(decide(some, use('renamed'))).toEqual(expected);
    expect(decide(some, use('known'))).toEqual({ do: 'allow' });
  });

  it('refuses a tool if it is unknown whether it only reads', () => {
    expect(decide(permissions({ all: { readOnly: true } }), use('ask'))).toEqual({
      do: 'block',
      why: 'unlisted',
      by: { who: 'user', scope: 'everything' },
    });
  });

  it('lets a client of a server write if only the server is read-only, but not if everything is', () => {
    const exception = { [GENIE]: { readOnly: true, clients: { codex: { readOnly: false } } } };
    const clients = { codex: CODEX };
    expect(decide(permissions({ clients, servers: exception }), use('ask', { hints: {} }))).toEqual({ do: 'allow' });
    const strict = permissions({ clients, servers: exception, all: { readOnly: true } });
    expect(decide(strict, use('ask', { hints: {} })).do).toBe('block');
  });

  it('never allows a tool that is off, or one that may write under read-only, whatever else the permissions say', () => {
    const state = fc.constantFrom('on', 'off', 'ask');
    const toolPermissions = fc.record(
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
        toolPermissions,
        toolPermissions,
        fc.boolean(),
        fc.constantFrom('a', 'b', 'c'),
        hints,
        (own, of, all, tool, hint) => {
          const some = permissions({
            all: { readOnly: all },
            clients: { codex: CODEX },
            servers: { [GENIE]: { ...of, clients: { codex: own } } },
          });
          const decision = decide(some, use(tool, { hints: hint }));
          const isOff =
            own.off?.includes(tool) || (of.off?.includes(tool) && !own.on?.includes(tool) && !own.ask?.includes(tool));
          const isReadOnly = all || (own.readOnly ?? of.readOnly ?? false);
          if (isOff || (isReadOnly && onlyReads(GENIE, tool, hint) !== true)) expect(decision.do).toBe('block');
          if (decision.do !== 'allow') expect(isUnrestricted(some, GENIE)).toBe(false);
        },
      ),
    );
  });
});

describe('decide, beside an organization', () => {
  const problem = new CausewayError('invalid_file', 'It cannot be read.');
  const own = permissions({ servers: { [GENIE]: { off: ['ask'], ask: ['look'] } } });
  const readOnly = (locked: boolean): Policy => ({ ...NO_POLICY, keys: { readOnly: { value: true, locked } } });
  const byOrganization = { do: 'block', why: 'read-only', by: { who: 'organization', scope: 'everything' } };

  it('allows nothing if what decides cannot be read', () => {
    const unreadable = { do: 'block', why: 'unreadable', error: problem };
    const read = use('read', { hints: { readOnlyHint: true } });
    expect(decideHere({ own, policy: { ...NO_POLICY, problem } }, read)).toEqual(unreadable);
    expect(decideHere({ own: problem, policy: NO_POLICY }, read)).toEqual(unreadable);
  });

  it('names the organization where both decide the same, and the stricter of the two where they do not', () => {
    const policy = readOnly(true);
    expect(decideHere({ own, policy }, use('ask', { hints: {} }))).toEqual(byOrganization);
    const look = use('look', { hints: { readOnlyHint: true } });
    expect(decideHere({ own, policy }, look)).toEqual({ do: 'ask', by: { who: 'user', scope: 'server' } });
  });

  it('follows a default until the user has decided something about the server', () => {
    const other = use('other', { hints: {} });
    expect(decideHere({ own: permissions({}), policy: readOnly(false) }, other)).toEqual(byOrganization);
    expect(decideHere({ own, policy: readOnly(false) }, other)).toEqual({ do: 'allow' });
  });
});

describe('isUnrestricted', () => {
  it.each<[string, Omit<Permissions, 'version'>]>([
    ['nothing', {}],
    [
      'nothing in any of their parts',
      { all: {}, clients: { codex: CODEX }, servers: { [GENIE]: { clients: { codex: {} } } } },
    ],
    [
      'what allows',
      { all: { readOnly: false, newTools: 'on' }, servers: { [GENIE]: { on: ['a'], off: [], ask: [] } } },
    ],
    ['another server’s', { servers: { [SQL]: { readOnly: true } } }],
  ])('is true for permissions that say %s', (_what, of) => {
    expect(isUnrestricted(permissions(of), GENIE)).toBe(true);
  });

  it.each<[string, Omit<Permissions, 'version'>]>([
    ['everything is read-only', { all: { readOnly: true } }],
    ['new tools are off', { all: { newTools: 'off' } }],
    ['new tools ask', { servers: { [GENIE]: { newTools: 'ask' } } }],
    ['a tool is off', { servers: { [GENIE]: { off: ['a'] } } }],
    ['a tool asks', { servers: { [GENIE]: { ask: ['a'] } } }],
    ['as many tools are off as need approval', { servers: { [GENIE]: { off: ['a'], ask: ['b'] } } }],
    ['a client is read-only', { clients: { codex: { ...CODEX, readOnly: true } } }],
    ['a client is read-only at this server', { servers: { [GENIE]: { clients: { codex: { readOnly: true } } } } }],
  ])('is false for permissions in which %s', (_what, of) => {
    expect(isUnrestricted(permissions(of), GENIE)).toBe(false);
  });
});
