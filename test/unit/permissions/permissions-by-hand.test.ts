import { expect, it, test } from 'vitest';
import { parsePermissions } from '../../../main/permissions/permissions.ts';
import { parsePolicy } from '../../../main/permissions/policy/parse-policy.ts';

const SQL = 'https://x.example/api/2.0/mcp/sql';
const CODEX = { codex: { name: 'Codex', wireNames: ['codex-mcp-client'] } };

/** What a user who wrote this into `permissions.json` hears; undefined if it can be read. */
async function faultOf(text: string): Promise<string | undefined> {
  return parsePermissions('PERMISSIONS', Buffer.from(text)).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

const withServers = (servers: unknown, more = {}) => JSON.stringify({ version: 1, ...more, servers });

it.each<[what: string, text: string, fault: RegExp]>([
  ['a path without a host', withServers({ '/api/2.0/mcp/sql': { off: ['drop'] } }), /the full address of a server/],
  ['the name of a server', withServers({ 'databricks-sql': { off: ['drop'] } }), /the full address of a server/],
  ['a slash at the end', withServers({ [`${SQL}/`]: { off: ['drop'] } }), new RegExp(`write it as "${SQL}"`)],
  [
    'capitals',
    withServers({ 'https://X.example/API/2.0/mcp/sql': { readOnly: true } }),
    /write it as "https:\/\/x\.ex/,
  ],
  ['a port that is the default', withServers({ [SQL.replace('e/', 'e:443/')]: {} }), /write it as/],
])(
  'permissions for a server that is written with %s are refused, because they would apply to none',
  async (_, text, fault) => {
    expect(await faultOf(text)).toMatch(fault);
  },
);

it.each<[what: string, text: string, fault: RegExp]>([
  [
    'is not described',
    withServers({ [SQL]: { clients: { codex: { off: ['drop'] } } } }),
    /does not describe this client/,
  ],
  [
    'is described under another id',
    withServers({ [SQL]: { clients: { Codex: { off: ['drop'] } } } }, { clients: CODEX }),
    /"Codex"/,
  ],
  [
    'has no name on the wire',
    withServers({}, { clients: { codex: { name: 'Codex', wireNames: [], readOnly: true } } }),
    /wireNames/,
  ],
])('permissions for a client that %s are refused, because they would apply to nobody', async (_, text, fault) => {
  expect(await faultOf(text)).toMatch(fault);
});

it.each<[what: string, text: string, fault: string]>([
  [
    'a list',
    `{"version":1,"servers":{"${SQL}":{"off":["a"],\n "off":["b"]}}}`,
    'line 2, column 2: "off" is given twice',
  ],
  ['all servers', `{"version":1,"servers":{},"servers":{}}`, 'line 1, column 27: "servers" is given twice'],
  ['a name written with an escape', '{"version":1,"all":{"readOnly":true},"\\u0061ll":{}}', '"all" is given twice'],
])(
  'permissions in which %s is given twice are refused, because one of the two would not apply',
  async (_, text, fault) => {
    expect(await faultOf(text)).toContain(fault);
  },
);

test('names may repeat where they are in different objects, or in texts', async () => {
  const permissions = { off: ['off', '{"off":1,"off":2}', '"'], clients: { codex: { off: ['off'], on: ['on'] } } };
  expect(
    await faultOf(withServers({ [SQL]: permissions, [`${SQL}-2`]: permissions }, { clients: CODEX })),
  ).toBeUndefined();
});

it.each<[what: string, permissions: object, fault: RegExp]>([
  [
    'a client that it does not describe',
    { servers: { '/a': { clients: { codex: { off: ['x'] } } } } },
    /does not describe/,
  ],
  [
    'one server, spelled in two ways',
    { servers: { '/api/a': { off: ['x'] }, '/API/A/': { off: ['y'] } } },
    /this server is listed twice, with different spellings/,
  ],
])('a policy with permissions for %s is refused', async (_, permissions, fault) => {
  const text = JSON.stringify({ version: 1, rules: { value: permissions, locked: true } });
  await expect(parsePolicy('POLICY', Buffer.from(text))).rejects.toThrow(fault);
});

test('a policy in which a key is given twice is refused, because one of the two would not apply', async () => {
  const one = (value: boolean) => `"readOnly":{"value":${value},"locked":true}`;
  await expect(parsePolicy('POLICY', Buffer.from(`{"version":1,${one(true)},${one(false)}}`))).rejects.toThrow(
    '"readOnly" is given twice',
  );
});
