import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseProvision } from '../../../main/app/provision/provision-file.ts';
import { writtenAs } from '../../../main/clients/record.ts';
import { openServers } from '../../../main/clients/servers.ts';
import { decide } from '../../../main/permissions/decide.ts';
import { ineffectiveUnder } from '../../../main/permissions/ineffective.ts';
import { parsePermissions, permissionsOf, withEdit } from '../../../main/permissions/permissions.ts';
import { parsePolicy } from '../../../main/permissions/policy/parse-policy.ts';
import { NO_POLICY } from '../../../main/permissions/policy/policy.ts';
import { PolicyFile } from '../../../main/permissions/policy/policy-file.ts';
import { rememberedNames } from '../../../main/platform/name-memory.ts';
import { configFolder } from '../../../main/platform/paths.ts';

/** What every object has without being given it. */
const INHERITED = [...Object.getOwnPropertyNames(Object.prototype), 'prototype'].filter((name) => name !== '__proto__');
const SERVER = 'https://x.example/api/2.0/mcp/genie/1';
const use = (client: string, tool: string) => ({ server: SERVER, tool, client, hints: undefined });
const text = (json: unknown) => Buffer.from(JSON.stringify(json));
/** JSON in which a member is named by the link to what an object inherits, in plain letters or in an escape. */
const withProto = (json: unknown, name = '"__proto__"') =>
  Buffer.from(JSON.stringify(json).replaceAll('"PROTO"', name));
const REFUSED = /line 1, column \d+: "__proto__" cannot be used as a name/;

async function emptyHome(): Promise<{ HOME: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-names-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return { HOME: folder };
}

/** What a set of permissions can name by `name`: a client everywhere, a client at a server, a tool. */
const clientEverywhere = (name: string) => ({ clients: { [name]: { name, wireNames: [name], readOnly: true } } });
const clientOfServer = (name: string) => ({
  clients: { [name]: { name, wireNames: [name] } },
  servers: { [SERVER]: { clients: { [name]: { off: ['drop'] } } } },
});

describe.each(INHERITED)('permissions for a client or tool with the name %s, which every object has,', (name) => {
  it('decide about that client, and say nothing of it where they do not name it', async () => {
    const everywhere = await parsePermissions('PERMISSIONS', text({ version: 1, ...clientEverywhere(name) }));
    expect(decide({ own: everywhere, policy: NO_POLICY }, use(name, 'drop')).do).toBe('block');
    expect(decide({ own: everywhere, policy: NO_POLICY }, use('another', 'drop')).do).toBe('allow');
    const ofServer = await parsePermissions('PERMISSIONS', text({ version: 1, ...clientOfServer(name) }));
    expect(decide({ own: ofServer, policy: NO_POLICY }, use(name, 'drop')).do).toBe('block');
    expect(decide({ own: ofServer, policy: NO_POLICY }, use(name, 'look')).do).toBe('allow');
    const client = { id: name, name, wireNames: [name] };
    const unrestricted = await parsePermissions(
      'PERMISSIONS',
      text({ version: 1, clients: {}, servers: { [SERVER]: { clients: {} } } }),
    );
    for (const scope of [{ client }, { client, server: SERVER }]) {
      expect(permissionsOf(unrestricted, scope)).toEqual({});
      expect(permissionsOf(withEdit(unrestricted, scope, { readOnly: true }), scope)).toEqual({ readOnly: true });
    }
  });

  it('decide about that tool', async () => {
    const permissions = await parsePermissions(
      'PERMISSIONS',
      text({ version: 1, servers: { [SERVER]: { off: [name] } } }),
    );
    expect(decide({ own: permissions, policy: NO_POLICY }, use('any', name)).do).toBe('block');
    expect(decide({ own: permissions, policy: NO_POLICY }, use('any', 'drop')).do).toBe('allow');
  });

  it('decide in a policy, beside the permissions of the user, who hears that theirs have no effect', async () => {
    const policy = { version: 1, rules: { value: clientOfServer(name), locked: true } };
    const file = new PolicyFile({ name: 'POLICY', version: () => '1', read: async () => text(policy) });
    await file.now();
    const deciding = { own: { version: 1 as const }, policy: file.current };
    expect(decide(deciding, use(name, 'drop')).do).toBe('block');
    expect(decide(deciding, use(name, 'look')).do).toBe('allow');
    const scope = { server: SERVER, client: { id: name, name, wireNames: [name] } };
    expect(ineffectiveUnder(file.current, scope, { on: ['drop', 'look'] }, [])).toMatchObject([{ tool: 'drop' }]);
  });

  it('are read from a file for a team', () => {
    const read = parseProvision('FILE', text({ version: 1, rules: clientEverywhere(name) }));
    expect(Object.keys(read.rules.clients ?? {})).toEqual([name]);
  });
});

describe('a member that is named __proto__, which readers drop, is refused', () => {
  const inPermissions = [
    ['a client', { clients: { PROTO: { name: 'x', wireNames: ['x'], readOnly: true } } }],
    ['a server', { servers: { PROTO: { readOnly: true } } }],
    ['a client of a server', { servers: { [SERVER]: { clients: { PROTO: { off: ['drop'] } } } } }],
    ['a member of a server', { servers: { [SERVER]: { PROTO: { off: ['drop'] } } } }],
    ['a member of the file', { PROTO: { readOnly: true } }],
  ] as const;

  it.each(inPermissions)('in a permissions file, as %s', async (_, permissions) => {
    for (const name of ['"__proto__"', String.raw`"\u005f_proto__"`]) {
      await expect(parsePermissions('PERMISSIONS', withProto({ version: 1, ...permissions }, name))).rejects.toThrow(
        REFUSED,
      );
    }
  });

  it.each(inPermissions)('in the permissions of a policy, as %s', async (_, value) => {
    const policy = { version: 1, optional: ['rules.value.__proto__'], rules: { value, locked: true } };
    await expect(parsePolicy('POLICY', withProto(policy))).rejects.toThrow(REFUSED);
  });

  it.each(inPermissions)('in the permissions of a file for a team, as %s', (_, permissions) => {
    expect(() => parseProvision('FILE', withProto({ version: 1, rules: permissions }))).toThrow(REFUSED);
  });

  it('in a file for a team in YAML, quoted or not, and where a server has its _meta', () => {
    for (const key of ['__proto__', '"__proto__"', String.raw`"\u005f_proto__"`]) {
      const file = `version: 1\nrules:\n  clients:\n    ${key}: { name: x, wireNames: [x], readOnly: true }\n`;
      expect(() => parseProvision('FILE', Buffer.from(file))).toThrow(/line 4, column 5: "__proto__" cannot be used/);
    }
    const server = { name: 'sql', profile: 'p', path: '/api/2.0/mcp/sql', meta: { PROTO: 'x' } };
    expect(() => parseProvision('FILE', withProto({ version: 1, servers: [server] }))).toThrow(REFUSED);
  });

  it('in the list of servers, where a server has its _meta', async () => {
    const env = await emptyHome();
    await mkdir(configFolder(env), { recursive: true });
    const server = { name: 'sql', profile: 'p', kind: 'sql', path: '/api/2.0/mcp/sql', meta: { PROTO: 'x' } };
    await writeFile(join(configFolder(env), 'servers.json'), withProto({ servers: [server] }));
    await expect(openServers(env)).rejects.toThrow('"__proto__" cannot be used as a name');
  });
});

describe('what Causeway remembers under a name', () => {
  it.each(INHERITED)('is nothing for %s, unless it was written', async (name) => {
    expect(writtenAs({ client: 'codex', entries: {}, previous: {} }, name)).toEqual([]);
    expect(writtenAs({ client: 'codex', entries: { [name]: { command: 'x' } } }, name)).toEqual([{ command: 'x' }]);
    expect(await rememberedNames(await emptyHome(), name)).toEqual({ warehouses: [], users: [] });
  });
});
