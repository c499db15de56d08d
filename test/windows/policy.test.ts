import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PolicyFile } from '../../main/permissions/policy/policy-file.ts';
import { registrySource } from '../../main/permissions/policy/registry.ts';

// A key of the user's own: the real one is the administrators'.
const KEY = String.raw`HKCU\Software\Causeway test of policies`;
const reg = (...args: string[]) => execFileSync(join(process.env.SystemRoot ?? '', 'System32', 'reg.exe'), args);
const write = (policy: string) => reg('add', KEY, '/v', 'Policy', '/t', 'REG_SZ', '/d', policy, '/f', '/reg:64');
const read = async () => new PolicyFile(registrySource(KEY)).now();

before(() => reg('add', KEY, '/v', 'Other', '/d', 'x', '/f', '/reg:64'));
after(() => reg('delete', KEY, '/f', '/reg:64'));

test('there is no policy in a key that has other values', async () => {
  assert.equal((await read()).source, null);
});

test('a policy is read from the registry', async () => {
  write(JSON.stringify({ version: 1, contact: 'it@example.com', readOnly: { value: true, locked: true } }));
  const found = await read();
  assert.equal(found.contact, 'it@example.com');
  assert.deepEqual(found.keys.readOnly, { value: true, locked: true });
});

test('letters beyond ASCII are read if they are escaped, and nothing is misread if they are not', async () => {
  const write7 = (policy: string) =>
    write(policy.replaceAll(/[^\0-\x7f]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`));
  write7(JSON.stringify({ version: 1, contact: 'Zoë Müller' }));
  assert.equal((await read()).contact, 'Zoë Müller');
  write(JSON.stringify({ version: 1, contact: 'Zoë Müller' }));
  const found = await read();
  if (found.problem) assert.match(found.problem.message, /letters beyond ASCII/);
  else assert.equal(found.contact, 'Zoë Müller');
});

test('a policy that cannot be used is reported with its line and column', async () => {
  write('{"version":1,"unknown":1}');
  assert.match(String((await read()).problem?.message), /line 1, column 14: unknown/);
});

test('there is no policy if there is no key', async () => {
  assert.equal((await new PolicyFile(registrySource(`${KEY} that is not there`)).now()).source, null);
});

test('a policy of separate keys is read, as the administrative template writes it', async () => {
  const own = `${KEY} separate`;
  const add = (key: string, name: string, type: string, data: string) =>
    reg('add', key, '/v', name, '/t', type, '/d', data, '/f', '/reg:64');
  try {
    add(own, 'organization', 'REG_SZ', 'Acme');
    add(`${own}\\clients`, 'value', 'REG_MULTI_SZ', 'cursor\\0codex');
    add(`${own}\\clients`, 'locked', 'REG_DWORD', '1');
    const found = await new PolicyFile(registrySource(own)).now();
    assert.equal(found.organization, 'Acme');
    assert.deepEqual(found.keys.clients, { value: ['cursor', 'codex'], locked: true });
  } finally {
    reg('delete', own, '/f', '/reg:64');
  }
});
