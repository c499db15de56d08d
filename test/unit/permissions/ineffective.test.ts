import { describe, expect, it } from 'vitest';
import {
  type Ineffective,
  ineffectiveByOwn,
  ineffectiveUnder,
  loosestFor,
  widerReadOnly,
} from '../../../main/permissions/ineffective.ts';
import type { PermissionEdit, PermissionScope, PermissionSet } from '../../../main/permissions/permissions.ts';
import { NO_POLICY, type Policy } from '../../../main/permissions/policy/policy.ts';
import { serverKey } from '../../../main/permissions/server-key.ts';
import { CausewayError } from '../../../main/platform/errors.ts';

const SERVER = serverKey('https://acme.cloud.databricks.com', '/api/2.0/mcp/genie/0a1b');
const CODEX = { id: 'codex', name: 'Codex', wireNames: ['codex-mcp-client', 'codex-ide'] };
const CURSOR = { id: 'cursor', name: 'Cursor', wireNames: ['cursor-vscode'] };
const described = ({ name, wireNames }: typeof CODEX) => ({ name, wireNames });
const clients = { codex: described(CODEX), cursor: described(CURSOR) };
const EVERYTHING = {};
const AT_SERVER = { server: SERVER };
const CODEX_AT_SERVER = { server: SERVER, client: CODEX };
const CODEX_EVERYWHERE = { client: CODEX };
const TOOLS = [
  { name: 'read', hints: { readOnlyHint: true } },
  { name: 'write', hints: {} },
];

const withRules = (value: PermissionSet, locked = true): Policy => ({
  ...NO_POLICY,
  keys: { rules: { value, locked } },
});
const withReadOnly = (value: boolean, locked = true): Policy => ({
  ...NO_POLICY,
  keys: { readOnly: { value, locked } },
});

describe('what of a change a policy leaves without effect', () => {
  it.each<[string, Policy, PermissionScope, PermissionEdit, Ineffective[]]>([
    [
      'writing, under a locked read only',
      withReadOnly(true),
      EVERYTHING,
      { readOnly: false },
      [{ key: 'readOnly', member: 'readOnly', what: 'read only stays on' }],
    ],
    [
      'writing, where the permissions of the policy are read-only for everything',
      withRules({ all: { readOnly: true } }),
      EVERYTHING,
      { readOnly: false },
      [{ key: 'rules', member: 'readOnly', what: 'read only stays on' }],
    ],
    [
      'writing, where they are read-only for the server',
      withRules({ servers: { [SERVER]: { readOnly: true } } }),
      AT_SERVER,
      { readOnly: false },
      [{ key: 'rules', member: 'readOnly', what: 'read only stays on' }],
    ],
    [
      'writing, where they are read-only for the client, whatever its names',
      withRules({ clients: { known: { name: 'Codex', wireNames: ['codex-ide'], readOnly: true } } }),
      CODEX_EVERYWHERE,
      { readOnly: false },
      [{ key: 'rules', member: 'readOnly', what: 'read only stays on' }],
    ],
    [
      'what only reads, and what turns off',
      withReadOnly(true),
      AT_SERVER,
      { readOnly: true, newTools: 'off', on: ['read'], off: ['write'] },
      [],
    ],
    [
      'tools that write, on or ask first, under a locked read only',
      withReadOnly(true),
      AT_SERVER,
      { on: ['write'], ask: ['read', 'write'] },
      [
        {
          key: 'readOnly',
          member: 'on',
          tool: 'write',
          what: 'write stays off, because only tools that read are allowed',
        },
        {
          key: 'readOnly',
          member: 'ask',
          tool: 'write',
          what: 'write stays off, because only tools that read are allowed',
        },
      ],
    ],
    ['a tool that is not listed yet, and may only read', withReadOnly(true), AT_SERVER, { on: ['later'] }, []],
    [
      'tools that are off',
      withRules({ servers: { [SERVER]: { off: ['write'], ask: ['read'] } } }),
      AT_SERVER,
      { on: ['write', 'read'], ask: ['write', 'read'] },
      [
        { key: 'rules', member: 'on', tool: 'write', what: 'write stays off' },
        { key: 'rules', member: 'on', tool: 'read', what: 'read still asks first' },
        { key: 'rules', member: 'ask', tool: 'write', what: 'write stays off' },
      ],
    ],
    [
      'a tool that is off, and not listed yet',
      withRules({ servers: { [SERVER]: { off: ['later'] } } }),
      AT_SERVER,
      { on: ['later'] },
      [{ key: 'rules', member: 'on', tool: 'later', what: 'later stays off' }],
    ],
    [
      'new tools on, where they are off',
      withRules({ all: { newTools: 'off' } }),
      EVERYTHING,
      { newTools: 'on' },
      [{ key: 'rules', member: 'newTools', what: 'new tools stay off' }],
    ],
    [
      'new tools that ask first, where they are off',
      withRules({ all: { newTools: 'off' } }),
      EVERYTHING,
      { newTools: 'ask' },
      [{ key: 'rules', member: 'newTools', what: 'new tools stay off' }],
    ],
    [
      'new tools on, where they ask first',
      withRules({ all: { newTools: 'ask' } }),
      AT_SERVER,
      { newTools: 'on' },
      [{ key: 'rules', member: 'newTools', what: 'new tools still ask first' }],
    ],
    ['new tools as the policy has them', withRules({ all: { newTools: 'ask' } }), EVERYTHING, { newTools: 'ask' }, []],
    ['new tools, under a locked read only', withReadOnly(true), EVERYTHING, { newTools: 'on' }, []],
    ['nothing, where new tools are off', withRules({ all: { newTools: 'off' } }), EVERYTHING, {}, []],
    ['everything, under a read only that is a default', withReadOnly(true, false), AT_SERVER, { readOnly: false }, []],
    ['everything, under a read only that is locked off', withReadOnly(false), AT_SERVER, { readOnly: false }, []],
    [
      'everything, where a default is stricter',
      withRules({ all: { newTools: 'off' }, servers: { [SERVER]: { off: ['write'] } } }, false),
      AT_SERVER,
      { newTools: 'on', on: ['write'] },
      [],
    ],
    [
      'everything, where another client is read-only',
      withRules({ clients: { ...clients, cursor: { ...clients.cursor, readOnly: true } } }),
      CODEX_AT_SERVER,
      { readOnly: false, on: ['write'] },
      [],
    ],
    [
      'everything at every server, where one is read-only',
      withRules({ servers: { [SERVER]: { readOnly: true } } }),
      EVERYTHING,
      { readOnly: false },
      [],
    ],
  ])('is %s', (_what, policy, scope, edit, expected) => {
    expect(ineffectiveUnder(policy, scope, edit, TOOLS)).toEqual(expected);
  });

  it('is named by the key that users can do something about', () => {
    const both: Policy = {
      ...NO_POLICY,
      keys: {
        readOnly: { value: true, locked: false },
        rules: { value: { all: { readOnly: true } }, locked: true },
      },
    };
    expect(ineffectiveUnder(both, EVERYTHING, { readOnly: false }, [])).toMatchObject([{ key: 'rules' }]);
    const off: Policy = { ...both, keys: { ...both.keys, readOnly: { value: false, locked: true } } };
    expect(ineffectiveUnder(off, EVERYTHING, { readOnly: false }, [])).toMatchObject([{ key: 'rules' }]);
  });

  it('is everything if the policy cannot be used', () => {
    const problem = new CausewayError('managed', 'It cannot be read.');
    const loosest = loosestFor({ ...NO_POLICY, problem }, AT_SERVER);
    expect(loosest.isReadOnly).toBe(true);
    expect(loosest.newTools).toBe('block');
    expect(loosest.tool({ name: 'read' })).toEqual({ do: 'block', why: 'unreadable', error: problem });
    expect(ineffectiveUnder({ ...NO_POLICY, problem }, AT_SERVER, { on: ['read'] }, TOOLS)).toEqual([
      { key: 'rules', member: 'on', tool: 'read', what: 'read stays off' },
    ]);
  });
});

describe('the loosest that a policy leaves', () => {
  it('is everything without a policy', () => {
    const loosest = loosestFor(NO_POLICY, CODEX_AT_SERVER);
    expect([loosest.isReadOnly, loosest.newTools, loosest.tool({ name: 'write' }).do]).toEqual([
      false,
      'allow',
      'allow',
    ]);
  });

  it('is that for a client by the first of its names that the policy knows', () => {
    const policy = withRules({
      clients: { known: { name: 'Codex', wireNames: ['codex-ide'] } },
      servers: { [SERVER]: { clients: { known: { newTools: 'off' } }, newTools: 'ask' } },
    });
    expect(loosestFor(policy, CODEX_AT_SERVER).newTools).toBe('block');
    expect(loosestFor(policy, { server: SERVER, client: CURSOR }).newTools).toBe('ask');
  });

  it('is that for any client that the policy does not name, if the client has no name', () => {
    const policy = withRules({
      clients,
      servers: { [SERVER]: { clients: { codex: { newTools: 'off' } } } },
    });
    expect(loosestFor(policy, AT_SERVER).newTools).toBe('allow');
    expect(loosestFor(policy, { server: SERVER, client: { ...CODEX, wireNames: [] } }).newTools).toBe('allow');
  });

  it('is read-only if one of several sets for the server is', () => {
    const policy = withRules({
      servers: { [SERVER]: { off: ['drop'] }, '/api/2.0/mcp/genie/0a1b': { readOnly: true } },
    });
    expect(loosestFor(policy, AT_SERVER).isReadOnly).toBe(true);
  });
});

describe('what of a change the user’s own permissions leave without effect', () => {
  const off = (member: 'on' | 'ask', tool: string) => ({
    member,
    tool,
    what: `${tool} stays off, because only tools that read are allowed`,
  });

  it.each<[string, PermissionSet, PermissionScope, PermissionEdit, Ineffective[]]>([
    [
      'writing, where everything is read-only',
      { all: { readOnly: true } },
      AT_SERVER,
      { readOnly: false },
      [{ member: 'readOnly', what: 'read only is on for all servers' }],
    ],
    ['reading only, where everything is read-only', { all: { readOnly: true } }, AT_SERVER, { readOnly: true }, []],
    ['nothing, where everything is read-only', { all: { readOnly: true } }, AT_SERVER, {}, []],
    ['writing, where nothing is read-only', {}, AT_SERVER, { readOnly: false, on: ['write'] }, []],
    [
      'tools that write, where the server is read-only',
      { servers: { [SERVER]: { readOnly: true } } },
      AT_SERVER,
      { on: ['read', 'write'], ask: ['write'] },
      [off('on', 'write'), off('ask', 'write')],
    ],
    [
      'tools that write, where the client is read-only',
      { clients: { ...clients, codex: { ...clients.codex, readOnly: true } } },
      CODEX_AT_SERVER,
      { on: ['write'] },
      [off('on', 'write')],
    ],
    [
      'nothing of a client that is not named, where others are read-only',
      { clients: { ...clients, codex: { ...clients.codex, readOnly: true } } },
      AT_SERVER,
      { on: ['write'] },
      [],
    ],
    ['tools that are off anyway', { servers: { [SERVER]: { off: ['write'] } } }, AT_SERVER, { on: ['write'] }, []],
    ['tools that are not listed yet', { all: { readOnly: true } }, AT_SERVER, { on: ['later'] }, []],
    ['tools of no server', { all: { readOnly: true } }, EVERYTHING, { on: ['write'] }, []],
  ])('is %s', (_what, own, scope, edit, expected) => {
    expect(ineffectiveByOwn({ version: 1, ...own }, scope, edit, TOOLS)).toEqual(expected);
  });
});

describe('a wider read only', () => {
  const atServer = (of: object) => ({ clients, servers: { [SERVER]: { readOnly: true, clients: { codex: of } } } });

  it.each<[string, PermissionSet, PermissionScope, string | null]>([
    ['everything, for a server', { all: { readOnly: true } }, AT_SERVER, 'all servers'],
    ['everything, for a client', { all: { readOnly: true } }, CODEX_EVERYWHERE, 'all servers'],
    ['everything, for itself', { all: { readOnly: true } }, EVERYTHING, null],
    [
      'a client, at a server',
      { clients: { ...clients, codex: { ...clients.codex, readOnly: true } } },
      CODEX_AT_SERVER,
      'Codex on all servers',
    ],
    [
      'a client, for itself',
      { clients: { ...clients, codex: { ...clients.codex, readOnly: true } } },
      CODEX_EVERYWHERE,
      null,
    ],
    ['a server, for a client of it', atServer({}), CODEX_AT_SERVER, 'this server'],
    ['a server, for a client that it excepts', atServer({ readOnly: false }), CODEX_AT_SERVER, null],
    [
      'a server, for a client that nothing names',
      { servers: { [SERVER]: { readOnly: true } } },
      CODEX_AT_SERVER,
      'this server',
    ],
    ['a server, for itself', atServer({}), AT_SERVER, null],
    ['a server, for everything', atServer({}), EVERYTHING, null],
    ['nothing', { clients }, CODEX_AT_SERVER, null],
  ])('is that of %s', (_what, own, scope, expected) => {
    expect(widerReadOnly({ version: 1, ...own }, scope)).toBe(expected);
  });
});
