import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ownHome } from './own-home.ts';

/** Prints the packages that getting a token has loaded. */
const PROGRAM = `
import { registerHooks } from 'node:module';
const packages = new Set();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(resolved.url)?.[1];
    if (name) packages.add(name);
    return resolved;
  },
});
const { openAuth } = await import(process.argv[1]);
const auth = openAuth({ env: process.env });
await auth.tokens(await auth.profile()).token();
console.log(JSON.stringify([...packages]));
`;

test('a personal access token is read without loading a single package', async () => {
  const home = await ownHome('[only]\nhost = https://a.example\ntoken = dapi\n');
  const open = new URL('../../../main/auth/open.ts', import.meta.url).href;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM, open], {
    env: home.env,
  });
  await home.remove();
  expect(JSON.parse(stdout)).toEqual([]);
});
