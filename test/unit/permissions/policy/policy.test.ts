import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PermissionsFile } from '../../../../main/permissions/permissions-file.ts';
import { policyFacts } from '../../../../main/permissions/policy/format.ts';
import { parsePolicy } from '../../../../main/permissions/policy/parse-policy.ts';
import { checkServer, checkWorkspace, defaultValue, lockedValue } from '../../../../main/permissions/policy/policy.ts';
import { PolicyFile } from '../../../../main/permissions/policy/policy-file.ts';
import { policyInRegistry, registrySource } from '../../../../main/permissions/policy/registry.ts';
import { systemSource, withoutPayloadKeys } from '../../../../main/permissions/policy/sources.ts';
import { setPolicySource } from '../../../../main/permissions/policy/system-policy.ts';
import { serverKey } from '../../../../main/permissions/server-key.ts';
import { permissionsOfServer } from '../../../../main/permissions/server-permissions.ts';
import { ROOT } from '../../project/markdown.ts';

const read = (keys: object) => parsePolicy('policy.json', Buffer.from(JSON.stringify({ version: 1, ...keys })));
const locked = (value: unknown) => ({ value, locked: true });
const HOST = 'https://acme.cloud.databricks.com';

describe('a policy', () => {
  it('locks some keys and sets a default for others', async () => {
    const policy = await read({ tokenStore: locked('keychain'), updates: { value: 'off', locked: false } });
    expect(lockedValue(policy, 'tokenStore')).toBe('keychain');
    expect(lockedValue(policy, 'updates')).toBeUndefined();
    expect(defaultValue(policy, 'updates')).toBe('off');
    expect(defaultValue(policy, 'tokenStore')).toBeUndefined();
  });

  it('compares workspaces by their origins', async () => {
    const policy = await read({ workspaces: locked([`${HOST.toUpperCase().replace('HTTPS', 'https')}/?o=1`]) });
    expect(() => checkWorkspace(policy, HOST)).not.toThrow();
    expect(() => checkWorkspace(policy, `${HOST}:8443`)).toThrow('is not allowed');
  });

  it.each([
    ['https://*.azuredatabricks.net', 'https://adb-1.azuredatabricks.net', true],
    ['https://*.azuredatabricks.net', 'https://adb-5555555555555555.19.azuredatabricks.net', true],
    ['https://*.AzureDatabricks.net/?o=1', 'https://adb-1.azuredatabricks.net', true],
    ['https://%2A.azuredatabricks.net', 'https://adb-1.azuredatabricks.net', true],
    ['https://*.azuredatabricks.net', 'https://azuredatabricks.net', false],
    ['https://*.azuredatabricks.net', 'https://.azuredatabricks.net', false],
    ['https://*.azuredatabricks.net', 'https://a..azuredatabricks.net', false],
    ['https://*.azuredatabricks.net', 'https://xazuredatabricks.net', false],
    ['https://*.azuredatabricks.net', 'https://adb-1.azuredatabricks.net.', false],
    ['https://*.azuredatabricks.net', 'https://adb-1.azuredatabricks.net.evil.example', false],
    ['https://*.azuredatabricks.net', 'https://evil.example/.azuredatabricks.net', false],
    ['https://*.azuredatabricks.net', 'https://evil.example?.azuredatabricks.net', false],
    ['https://*.azuredatabricks.net', 'https://*.azuredatabricks.net', false],
    ['https://*.azuredatabricks.net', 'http://adb-1.azuredatabricks.net', false],
    ['https://*.azuredatabricks.net', 'https://adb-1.azuredatabricks.net:8443', false],
    ['https://*.azuredatabricks.net:8443', 'https://adb-1.azuredatabricks.net:8443', true],
    ['https://*.19.azuredatabricks.net', 'https://adb-1.7.azuredatabricks.net', false],
  ])('that allows workspaces %s says for %s: %s', async (pattern, host, allowed) => {
    const policy = await read({ workspaces: locked([pattern]) });
    if (allowed) expect(() => checkWorkspace(policy, host)).not.toThrow();
    else expect(() => checkWorkspace(policy, host)).toThrow('is not allowed');
  });

  it.each([
    ['https://*', 'only as the whole first label'],
    ['https://*.', 'must not end with a dot'],
    ['https://*.net', 'would mean hosts of anybody'],
    ['https://adb-*.azuredatabricks.net', 'only as the whole first label'],
    ['https://*adb.azuredatabricks.net', 'only as the whole first label'],
    ['https://adb-1.*.azuredatabricks.net', 'only as the whole first label'],
    ['https://*.*.azuredatabricks.net', 'only as the whole first label'],
    ['https://**.azuredatabricks.net', 'only as the whole first label'],
    ['https://*..azuredatabricks.net', 'only as the whole first label'],
    ['https://*.azuredatabricks.net.', 'must not end with a dot'],
    ['https://adb-1.azuredatabricks.net.', 'must not end with a dot'],
    ['http://*.azuredatabricks.net', 'must therefore begin with https://'],
    ['*://adb-1.azuredatabricks.net', 'must begin with https://'],
    ['*.azuredatabricks.net', 'must begin with https://'],
    ['https://*.0.0.1', 'be a valid address'],
  ])('refuses %s as a workspace: %s', async (pattern, words) => {
    await expect(read({ workspaces: locked([pattern]) })).rejects.toThrow(words);
    await expect(
      read({ rules: locked({ servers: { [`${pattern}/api/2.0/mcp/sql`]: { off: ['drop'] } } }) }),
    ).rejects.toThrow();
  });

  it.each([
    ['/api/2.0/mcp/sql', '/api/2.0/mcp/sql', true],
    ['/api/2.0/mcp/sql', '/api/2.0/mcp/SQL/', true],
    ['/api/2.0/mcp/sql', '/api/2.0/mcp/sql/more', false],
    ['/api/2.0/mcp/sql', '/api/2.0/mcp/sql/../genie/1', false],
    ['/ai-gateway/mcp-services/system.ai.*', '/ai-gateway/mcp-services/system.ai.github', true],
    ['/ai-gateway/mcp-services/system.ai.*', '/ai-gateway/mcp-services/systemxai.github', false],
    ['/api/2.0/mcp/genie/*', '/api/2.0/mcp/genie/../sql', false],
    ['/api/2.0/mcp/genie/*', '/api/2.0/mcp/genie/%2e%2e/sql', false],
    ['/api/2.0/mcp/genie/*', '/api/2.0/mcp/genie/x%2F..%2F..%2Fsql', false],
    ['/api/2.0/mcp/genie/*', '/api/2.0/mcp/genie/x%252F..%252F..%252Fsql', false],
    ['/api/2.0/mcp/genie/*', '/api/2.0/mcp/genie/x%5C..%5C..%5Csql', false],
    ['/api/2.0/mcp/sql', '//other/api/2.0/mcp/sql', false],
    ['/api/2.0/mcp/genie/*', '/api/2.0/mcp/genie/0a1b', true],
    ['/api/2.0/mcp/genie/*', '/api/2.0/mcp/genie/0a1b/', true],
    ['/api/2.0/mcp/genie/*', '/api/2.0/mcp/genie/0a1b/more', false],
    ['/api/2.0/mcp/genie/*', '/api/2.0/mcp/genie', false],
    ['/api/2.0/mcp/genie/*', '/api/2.0/mcp/genie/..;/sql', false],
    ['/api/2.0/mcp/functions/**', '/api/2.0/mcp/functions/main/default/initials', true],
    ['/api/2.0/mcp/functions/**', '/api/2.0/mcp/functions', false],
    ['/api/2.0/mcp/functions/*/team_*', '/api/2.0/mcp/functions/Main/Team_a', true],
    ['/**', '/ai-gateway/mcp-services/system.ai.dbsql', true],
    ['/api/2.0/mcp/functions/gr%C3%B6%C3%9Fe/*', '/api/2.0/mcp/functions/größe/x', true],
    ['/api/2.0/mcp/sql', '/api/2.0/mcp/sql?o=12', true],
    ['*', '/anything', undefined],
  ])('that allows %s says for %s: %s', async (pattern, path, allowed) => {
    if (allowed === undefined) {
      await expect(read({ servers: locked([pattern]) })).rejects.toThrow('servers.value.0');
      return;
    }
    const policy = await read({ servers: locked([pattern]) });
    const check = () => checkServer(policy, path);
    if (allowed) expect(check).not.toThrow();
    else expect(check).toThrow('is not allowed');
  });

  it.each([
    ['{"version":1,', 'line 1, column 14'],
    ['{"version":2}', 'line 1, column 2: version'],
    ['{\n "version": 1,\n "tokenStore": {"value": "memory", "locked": true}\n}', 'line 3, column 17: tokenStore.value'],
    ['{"version":1,"readOnly":{"value":true}}', 'readOnly.locked'],
    ['{"version":1,"rules":{"value":{"servers":{"sql":{}}},"locked":true}}', 'use the path of a server'],
    ['[]', 'line 1, column 1'],
    ['', 'line 1, column 1'],
  ])('%j is refused with %s', async (text, words) => {
    await expect(parsePolicy('policy.json', Buffer.from(text))).rejects.toThrow(words);
  });

  it('ignores a key that this version does not know only if the policy says that it may', async () => {
    const policy = await read({
      optional: ['allowNothing', 'audit.value.syslog', 'readOnly', 'absent'],
      allowNothing: locked(true),
      audit: locked({ file: true, syslog: 'localhost' }),
      readOnly: locked(true),
    });
    expect(policy.ignored).toEqual(['audit.value.syslog', 'allowNothing']);
    expect(policy.keys).toEqual({ audit: locked({ file: true }), readOnly: locked(true) });
  });

  it.each([
    [{ allowNothing: locked(true), optional: ['other'] }, 'allowNothing: "allowNothing" is not supported'],
    [{ allowNothing: locked(true), alsoThis: locked(true), optional: ['allowNothing'] }, 'alsoThis'],
    [{ audit: locked({ file: true, syslog: 'x' }), optional: ['syslog', 'audit'] }, 'audit.value.syslog'],
    [{ readOnly: locked('yes'), optional: ['readOnly'] }, 'readOnly.value'],
    [{ allowNothing: locked(true), optional: 'allowNothing' }, 'optional'],
    [{ allowNothing: locked(true), optional: [['allowNothing']] }, 'optional'],
    [{ optional: ['optional', 'version'], version: 2 }, 'version'],
  ])('%j is refused, although it has optional keys: %s', async (keys, words) => {
    await expect(read(keys)).rejects.toThrow(words);
  });

  it.each([
    ['a byte order mark', (text: string) => Buffer.from(`\uFEFF${text}`), undefined],
    ['lines that end as on Windows', (text: string) => Buffer.from(text.replaceAll(',', ',\r\n')), undefined],
    [
      'UTF-16 with its mark',
      (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
      'the file is UTF-16, not UTF-8',
    ],
    ['UTF-16 without a mark', (text: string) => Buffer.from(text, 'utf16le'), 'the file is UTF-16, not UTF-8'],
    [
      'UTF-16 in the other byte order',
      (text: string) => Buffer.from(text, 'utf16le').swap16(),
      'the file is UTF-16, not UTF-8',
    ],
  ])('with %s is read, or refused in words', async (_what, encode, words) => {
    const bytes = encode('{"version":1,"organization":"Acme","readOnly":{"value":true,"locked":true}}');
    const parsing = parsePolicy('policy.json', bytes);
    if (words === undefined) expect((await parsing).keys.readOnly).toEqual(locked(true));
    else await expect(parsing).rejects.toThrow(words);
  });

  it('names the position of bytes that are not UTF-8', async () => {
    await expect(parsePolicy('policy.json', Buffer.from([0x7b, 0x0a, 0xff]))).rejects.toThrow('line 2, column 1');
  });

  it.each([
    [{ otlpHeaders: { 'x key': 'hunter2' } }, 'audit.value.otlpHeaders.x key: is not the name of a header'],
    [{ otlpHeaders: { Host: 'hunter2' } }, 'audit.value.otlpHeaders.Host: is a header that Causeway sets itself'],
    [{ otlpHeaders: { key: 'hunter2\nx: 1' } }, 'audit.value.otlpHeaders.key: must be plain text in one line'],
    [{ otlpCertificate: 'ca.pem' }, 'must be the absolute path of a file in PEM'],
    [{ otlpCompression: 'br' }, 'audit.value.otlpCompression'],
  ])('a collector reached with %j is refused in words that quote no value of a header', async (how, words) => {
    const refused = read({ audit: locked({ file: true, otlp: 'https://collector:4318', ...how }) });
    await expect(refused).rejects.toThrow(words);
    await expect(refused).rejects.not.toThrow('hunter');
  });

  it.each(['/etc/ssl/ca.pem', String.raw`C:\ca.pem`, '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'])(
    'a collector can have the certificate %j',
    async (otlpCertificate) => {
      const audit = locked({ file: true, otlp: 'https://collector:4318', otlpCertificate });
      expect((await read({ audit })).keys.audit).toEqual(audit);
    },
  );

  it('is put into words, key by key', async () => {
    const policy = await read({
      readOnly: locked(true),
      audit: locked({
        file: true,
        otlp: 'http://ana:hunter2@collector:4318',
        otlpHeaders: { 'x-api-key': 'hunter3' },
        otlpCompression: 'gzip',
      }),
      workspaces: locked([]),
    });
    expect(policyFacts(policy).map(({ title, value }) => `${title}: ${value}`)).toEqual([
      'Allowed workspaces: none',
      'Read only: on',
      'Call audit: in a file, to http://[redacted]@collector:4318, with the header x-api-key, compressed',
    ]);
  });
});

describe('permissions of an organization', () => {
  const SERVER = serverKey(HOST, '/api/2.0/mcp/sql');
  const NOBODY = { CAUSEWAY_HOME: '/nowhere' };

  async function permissionsOf(keys: object) {
    const text = JSON.stringify({ version: 1, ...keys });
    setPolicySource({ name: 'policy', version: () => text, read: async () => Buffer.from(text) });
    onTestFinished(() => setPolicySource(undefined));
    const permissions = permissionsOfServer(new PermissionsFile(NOBODY), SERVER);
    await permissions.refresh();
    return permissions;
  }

  it.each(['/api/2.0/mcp/sql', '/API/2.0/mcp/SQL/', `${HOST}/api/2.0/mcp/sql`])(
    'find their server by %s',
    async (name) => {
      const permissions = await permissionsOf({ rules: locked({ servers: { [name]: { off: ['drop'] } } }) });
      expect(permissions.isEmpty).toBe(false);
      expect(permissions.decide('drop', 'x', undefined)).toMatchObject({ do: 'block', by: { who: 'organization' } });
      expect(permissions.decide('read', 'x', undefined)).toEqual({ do: 'allow' });
    },
  );

  it('apply all, the strictest first, if they name their server by its path and by its address', async () => {
    const permissions = await permissionsOf({
      rules: locked({
        servers: {
          '/api/2.0/mcp/sql': { off: ['drop'], ask: ['write'], on: ['read'] },
          [`${HOST}/api/2.0/mcp/sql`]: { on: ['drop'], off: ['write'], ask: ['read'] },
        },
      }),
    });
    const decided = ['drop', 'write', 'read', 'other'].map((tool) => permissions.decide(tool, 'x', undefined).do);
    expect(decided).toEqual(['block', 'block', 'ask', 'allow']);
  });

  it.each([
    ['https://*.cloud.databricks.com', true],
    ['https://*.databricks.com', true],
    ['https://*.azuredatabricks.net', false],
    ['https://*.acme.cloud.databricks.com', false],
  ])('find their server by the host pattern %s: %s', async (hosts, isFound) => {
    const permissions = await permissionsOf({
      rules: locked({ servers: { [`${hosts}/api/2.0/mcp/sql`]: { off: ['drop'] } } }),
    });
    expect(permissions.decide('drop', 'x', undefined).do).toBe(isFound ? 'block' : 'allow');
  });

  it('do not apply to the same path of another workspace if they name a host', async () => {
    const other = 'https://other.cloud.databricks.com/api/2.0/mcp/sql';
    expect((await permissionsOf({ rules: locked({ servers: { [other]: { off: ['drop'] } } }) })).isEmpty).toBe(true);
  });

  it('apply by default if the user has none', async () => {
    const permissions = await permissionsOf({ readOnly: { value: true, locked: false } });
    expect(permissions.decide('execute_sql', 'x', undefined)).toMatchObject({ do: 'block', why: 'read-only' });
  });
});

describe('the location of the policy', () => {
  it.each([
    ['linux', '/etc/causeway/policy.json'],
    ['darwin', '/Library/Managed Preferences/io.causeway.plist'],
    ['win32', String.raw`HKLM\Software\Policies\Causeway\Policy`],
  ] as const)('of %s is %s', (platform, name) => {
    expect(systemSource(platform).name).toBe(name);
  });

  it('is changed by nothing in the product', () => {
    const files = globSync(['main/**/*.ts', 'preload/**/*.ts', 'renderer/**/*.{ts,tsx}'], { cwd: ROOT });
    const calling = files.filter((file) => readFileSync(join(ROOT, file), 'utf8').includes('setPolicySource'));
    expect(calling).toEqual(['main/permissions/policy/system-policy.ts']);
    const source = files
      .filter((file) => file.startsWith('main/permissions/policy/'))
      .map((file) => readFileSync(join(ROOT, file), 'utf8'));
    expect(source.join('\n')).not.toMatch(/process\.(env|argv)|\benv\.|homedir/);
  });
});

describe('the policy in the registry', () => {
  const output = (line: string) => `\r\nHKEY_LOCAL_MACHINE\\Software\\Policies\\Causeway\r\n${line}\r\n\r\n`;

  it('is the text of one value', () => {
    const text = '{"version":1, "contact":"it  help"}';
    expect(String(policyInRegistry(output(`    Policy    REG_SZ    ${text}`)))).toBe(text);
  });

  it('does not exist without that value', () => {
    expect(policyInRegistry(output('    Other    REG_SZ    x'))).toBeUndefined();
  });

  it('is refused as another type', () => {
    expect(() => policyInRegistry(output('    Policy    REG_DWORD    0x1'))).toThrow('REG_DWORD');
  });

  it('is refused with letters that the code page of the console has changed', () => {
    const printed = Buffer.from(output('    Policy    REG_SZ    {"contact":"J\x81rgen"}'), 'latin1').toString('utf8');
    expect(() => policyInRegistry(printed)).toThrow('such as \\u00FC');
  });

  // As `reg query … /s` prints it.
  const ROOT_KEY = String.raw`HKEY_LOCAL_MACHINE\Software\Policies\Causeway`;
  const separate = (...lines: string[]) => ['', ...lines, ''].join('\r\n');

  it('is made of separate keys, as the administrative template writes them', async () => {
    const printed = separate(
      ROOT_KEY,
      '    (Standard)    REG_SZ    ',
      '    organization    REG_SZ    M\\u00FCller',
      '    optional    REG_MULTI_SZ    later\\0audit.value.\\u006Cater',
      '',
      `${ROOT_KEY}\\ReadOnly`,
      '    Value    REG_DWORD    0x1',
      '    locked    REG_DWORD    0x0',
      '',
      `${ROOT_KEY}\\workspaces`,
      '    value    REG_MULTI_SZ    https://a.cloud.databricks.com\\0https://b.cloud.databricks.com',
      '    locked    REG_DWORD    0x1',
      '    reason    REG_SZ    Our data  stays here',
      '',
      `${ROOT_KEY}\\audit`,
      '    value    REG_SZ    {"file":true}',
      '    locked    REG_DWORD    0x1',
      '',
      `${ROOT_KEY}\\updates`,
      '    value    REG_SZ    off',
      '    locked    REG_DWORD    0x1',
    );
    const { keys, organization, optional } = await parsePolicy('POLICY', policyInRegistry(printed) ?? Buffer.from(''));
    expect(organization).toBe('Müller');
    expect(optional).toEqual(['later', 'audit.value.later']);
    expect(keys).toEqual({
      readOnly: { value: true, locked: false },
      workspaces: {
        value: ['https://a.cloud.databricks.com', 'https://b.cloud.databricks.com'],
        locked: true,
        reason: 'Our data  stays here',
      },
      audit: { value: { file: true }, locked: true },
      updates: { value: 'off', locked: true },
    });
  });

  it.each([
    [
      'of an unknown name',
      [`${ROOT_KEY}\\readOnli`, '    value    REG_DWORD    0x1', '    locked    REG_DWORD    0x1'],
    ],
    ['below another one', [`${ROOT_KEY}\\clients\\value`, '    1    REG_SZ    cursor']],
    ['with a value of an unknown name', [`${ROOT_KEY}\\readOnly`, '    enabled    REG_DWORD    0x1']],
    ['that is a value instead', [ROOT_KEY, '    readOnly    REG_DWORD    0x1']],
  ])('is refused with a separate key %s', async (_, lines) => {
    const text = policyInRegistry(separate(...lines)) ?? Buffer.from('');
    await expect(parsePolicy('POLICY', text)).rejects.toThrow('is not a valid policy');
  });

  it.each([
    [
      'both forms',
      [ROOT_KEY, '    Policy    REG_SZ    {}', '', `${ROOT_KEY}\\updates`, '    value    REG_SZ    off'],
      'both',
    ],
    [
      'JSON that is none',
      [`${ROOT_KEY}\\permissions`, '    value    REG_SZ    {"all":'],
      'the text of "value" is not valid JSON',
    ],
    ['another type', [`${ROOT_KEY}\\updates`, '    value    REG_BINARY    00'], 'REG_BINARY'],
  ])('is refused with %s', (_, lines, fault) => {
    expect(() => policyInRegistry(separate(...lines))).toThrow(fault);
  });

  it.skipIf(process.platform === 'win32')('blocks everything if it cannot be read', async () => {
    const { problem } = await new PolicyFile(registrySource()).now();
    expect(problem?.code).toBe('managed');
  });
});

describe('the policy in managed preferences', () => {
  it('does not have what describes its configuration profile', () => {
    const json = { PayloadUUID: 'x', PayloadVersion: 1, version: 1, Payload: 2, readOnly: { PayloadX: 1 } };
    const { Payload, version, readOnly } = json;
    expect(JSON.parse(String(withoutPayloadKeys(Buffer.from(JSON.stringify(json)))))).toEqual({
      version,
      Payload,
      readOnly,
    });
    expect(String(withoutPayloadKeys(Buffer.from('[]')))).toBe('[]');
  });
});

describe('a policy that cannot be read', () => {
  const failure = (code: string) => Object.assign(new Error(code), { code });
  const opened = (...results: (Error | Buffer)[]) => {
    const read = async () => {
      const next = results.shift();
      if (next instanceof Error) throw next;
      return next;
    };
    return new PolicyFile({ name: 'policy', version: () => 'same', read });
  };

  it('is read again at the next decision if too many files were open', async () => {
    const file = opened(failure('EMFILE'), Buffer.from('{"version":1,"organization":"Acme"}'));
    expect((await file.now()).problem?.code).toBe('managed');
    expect(await file.now()).toMatchObject({ problem: null, organization: 'Acme' });
  });

  it('is not read again for any other reason until it has changed', async () => {
    const file = opened(failure('EACCES'), Buffer.from('{"version":1}'));
    expect((await file.now()).problem?.message).toContain('EACCES');
    expect((await file.now()).problem?.message).toContain('EACCES');
  });
});
