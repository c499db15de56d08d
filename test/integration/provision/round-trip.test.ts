import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { formatProvision, parseProvision } from '../../../main/app/provision/provision-file.ts';
import { ownHome } from '../auth/own-home.ts';
import { scriptedBrowser } from '../auth/scripted-browser.ts';
import { setStage } from '../auth/stage.ts';
import { runCommand } from '../warehouses/harness.ts';

const stage = setStage(() => '', {}, {});

async function command(env: NodeJS.ProcessEnv, ...args: string[]) {
  const { code, stdout, stderr } = await runCommand(env, args);
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

async function list(env: NodeJS.ProcessEnv) {
  const { servers }: { servers: { kind: string; title: string | null; confirmed: string | null }[] } = JSON.parse(
    await command(env, 'servers', 'list', '--json'),
  );
  // An app's origin is for each user to confirm.
  return servers.map((server) => ({ ...server, confirmed: null }));
}

test.each(['team.yaml', 'team.json'])(
  'all that a workspace offers can be added, exported to %s, and set up in an empty home',
  async (name) => {
    const { env, folder } = stage.home;
    const causeway = createCauseway({ env, openBrowser: scriptedBrowser().open });
    const auth = await causeway.auth();
    await auth.signIn(await auth.profile('user'));
    await causeway.close();

    const browsed = JSON.parse(await command(env, 'servers', 'browse', '--all', '--json', '--profile', 'user'));
    const offered: { add: string; obstacle: string | null; group: string }[] = browsed.servers;
    for (const { add } of offered.filter(({ obstacle }) => obstacle === null))
      await command(env, 'servers', 'add', ...add.split(/ (?=\S+$)/), '--profile', 'user', '--yes');
    const before = await list(env);
    expect(new Set(before.map(({ kind }) => kind)).size).toBeGreaterThan(3);
    expect(before.some(({ title }) => title !== null)).toBe(true);

    const file = join(folder, name);
    await command(env, 'provision', '--export', file);
    const empty = await ownHome('');
    onTestFinished(() => empty.remove());
    await command(empty.env, 'provision', file);
    expect(await list(empty.env)).toEqual(before);
    // A second time, and where it came from, nothing is to be done.
    for (const each of [empty.env, env]) {
      const { changes } = JSON.parse(await command(each, 'provision', file, '--json'));
      expect(changes.filter(({ result }: { result: string }) => result !== 'unchanged')).toEqual([]);
    }
  },
);

test('whatever a space is called, its title is in the file as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('a.yaml', 'a.json'), (title, path) => {
      const server = { name: 'space', profile: 'work', kind: 'genie' as const, path: '/api/2.0/mcp/genie/1', title };
      const provision = { version: 1 as const, profiles: [], servers: [server], rules: {}, clients: [] };
      const written = Buffer.from(formatProvision(path, provision));
      expect(parseProvision(path, written).servers).toEqual([server]);
    }),
  );
});
