import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { PolicyFile } from '../../main/policy/policy-file.ts';
import { registrySource } from '../../main/policy/sources.ts';

// A key of the user's own: the real one is the administrators'.
const KEY = String.raw`HKCU\Software\Causeway test of policies`;
const reg = (...args: string[]) => execFileSync(join(process.env.SystemRoot ?? '', 'System32', 'reg.exe'), args);

const read = async () => new PolicyFile(registrySource(KEY)).now();

reg('add', KEY, '/v', 'Other', '/d', 'x', '/f', '/reg:64');
try {
  assert.equal((await read()).source, null);
  const policy = { version: 1, contact: 'it@example.com', readOnly: { value: true, locked: true } };
  reg('add', KEY, '/v', 'Policy', '/t', 'REG_SZ', '/d', JSON.stringify(policy), '/f', '/reg:64');
  const found = await read();
  assert.equal(found.contact, 'it@example.com');
  assert.deepEqual(found.keys.readOnly, { value: true, locked: true });
  reg('add', KEY, '/v', 'Policy', '/t', 'REG_SZ', '/d', '{"version":1,"unknown":1}', '/f', '/reg:64');
  assert.match(String((await read()).problem?.message), /line 1, column 14: unknown/);
} finally {
  reg('delete', KEY, '/f', '/reg:64');
}
assert.equal((await read()).source, null);
console.log('policy in the registry: ok');
