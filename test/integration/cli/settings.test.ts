import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { createDesktop } from '../../../main/desktop/desktop.ts';
import { hubFolder, lookUpHub } from '../../../main/hub/rendezvous.ts';
import { currentPolicy } from '../../../main/permissions/policy/system-policy.ts';
import { DEFAULT_SETTINGS } from '../../../preload/contract/setting-facts.ts';
import { plainSettings, plainShell } from '../../plain-desktop.ts';
import { locked, managedHome } from '../policy/managed-home.ts';
import { runCommand } from '../warehouses/harness.ts';
import { homeOfAna } from './sql-session.ts';

async function computer() {
  const { env } = await homeOfAna();
  const file = join(String(env.CAUSEWAY_HOME), 'config', 'settings.json');
  return {
    env,
    file,
    run: (...args: string[]) => runCommand(env, ['settings', ...args]),
    stored: async () => JSON.parse(await readFile(file, 'utf8')),
    store: async (text: string) => {
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, text);
    },
  };
}

/** The application in this process. */
async function openApplication(env: NodeJS.ProcessEnv) {
  const causeway = createCauseway({ env });
  const settings = plainSettings(env);
  const shell = plainShell();
  const events: string[] = [];
  const onEvent = (name: string) => void events.push(name);
  const desktop = createDesktop({ causeway, env, settings, shell, onEvent });
  onTestFinished(async () => {
    await desktop.close();
    await causeway.close();
  });
  await desktop.start(undefined);
  await expect.poll(() => lookUpHub(hubFolder(env)).kind).toBe('found');
  return { settings, shell, events };
}

const shownBy = async (run: (...args: string[]) => Promise<{ stdout: string }>, name: string) =>
  JSON.parse((await run('get', name, '--json')).stdout).setting;

test('causeway settings lists all that the window can set, changes it and takes it back', async () => {
  const { run, stored } = await computer();
  const { settings } = JSON.parse((await run('--json')).stdout);
  const names = settings.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining([...Object.keys(DEFAULT_SETTINGS), 'startAtLogin', 'audit']));
  expect((await run('set', 'appearance', 'dark')).stdout).toBe('appearance is dark.\n');
  expect((await run('set', 'keep-servers-warm', 'off')).stdout).toBe('keepServersWarm is off.\n');
  expect((await run('set', 'audit', 'on')).stdout).toBe('audit is on.\n');
  expect(await stored()).toEqual({ appearance: 'dark', keepServersWarm: false });
  expect((await run('get', 'appearance')).stdout).toBe('dark\n');
  expect((await run()).stdout).toMatch(/^appearance +dark +Theme +you$/m);
  expect((await run('reset', 'appearance')).stdout).toBe('appearance is system.\n');
  expect((await run('reset', '--all')).stdout).toBe('keepServersWarm is on.\naudit is off.\n');
  expect((await run('reset', '--all')).stdout).toBe('Every setting has its default.\n');
  expect(await stored()).toEqual({});
});

test.each<[string[], string]>([
  [['set', 'appearance', 'purple'], 'appearance cannot be "purple". It can be system, light, dark.'],
  [['set', 'notifications', 'loud'], 'notifications cannot be "loud". It can be on, off.'],
  [['set', 'apearance', 'dark'], '"apearance" is not a setting. Did you mean "appearance"?'],
  [['get', 'nothing-like-it'], 'The settings are startAtLogin, openWindow,'],
  [['reset'], 'Name them, or give --all alone.'],
  [['reset', 'audit', '--all'], 'Name them, or give --all alone.'],
])('causeway settings %j is refused with what is allowed', async (args, words) => {
  const { run } = await computer();
  const { code, stderr } = await run(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
});

test('a damaged settings file is named with its line, and what a newer version has stored stays', async () => {
  const { run, store, stored, file } = await computer();
  await store('{\n  "appearance": "purple"\n}');
  const { code, stderr } = await run('set', 'logLevel', 'debug');
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${file}, line 2`)]);
  await store('{ "somethingNew": { "deep": 1 } }');
  await run('set', 'logLevel', 'debug');
  expect(await stored()).toEqual({ somethingNew: { deep: 1 }, logLevel: 'debug' });
});

test('a variable that decides where sign-ins are kept is named, and is not overruled', async () => {
  const { env } = await computer();
  const run = (...args: string[]) => runCommand({ ...env, CAUSEWAY_TOKEN_STORE: 'memory' }, ['settings', ...args]);
  expect(await shownBy(run, 'tokenStore')).toMatchObject({ value: 'memory', by: 'environment' });
  const { code, stderr } = await run('set', 'tokenStore', 'encrypted-file');
  expect([code, stderr]).toEqual([2, expect.stringContaining('CAUSEWAY_TOKEN_STORE is memory')]);
});

test('the running application makes the change, and starts itself at login', async () => {
  const { env, run, stored } = await computer();
  const alone = await run('set', 'startAtLogin', 'on');
  expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('Open Causeway, then try again.')]);
  const { settings, shell, events } = await openApplication(env);
  expect((await run('set', 'appearance', 'light')).stdout).toBe('appearance is light.\n');
  expect(settings.current.appearance).toBe('light');
  expect(events).toContain('settingsChanged');
  expect((await run('set', 'startAtLogin', 'on')).stdout).toBe('startAtLogin is on.\n');
  expect(shell.asked.startsAtLogin).toBe(true);
  await run('reset', 'appearance', 'startAtLogin');
  expect([settings.current.appearance, shell.asked.startsAtLogin]).toEqual(['system', false]);
  expect(await stored()).not.toHaveProperty('appearance');
});

test('what the organization has decided is said with its reason, and is not changed', async () => {
  const { runIn, env, policy } = await managedHome(() => ({
    organization: 'Acme',
    updates: locked('off', 'Updates come from IT.'),
    tokenStore: { value: 'encrypted-file', locked: false },
  }));
  await currentPolicy();
  const settings = (...args: string[]) => runIn({ CAUSEWAY_TOKEN_STORE: '' }, 'settings', ...args);
  const { stdout, stderr } = await settings();
  expect(stdout).toMatch(/^automaticUpdates +off .+ your organization, locked$/m);
  expect(stdout).toMatch(/^tokenStore +encrypted-file .+ your organization$/m);
  expect(stderr).toContain(`Updates come from IT. Ask your administrator. The policy is ${policy.file}`);
  expect(await shownBy(settings, 'updateChannel')).toMatchObject({ locked: true, by: 'organization' });
  for (const args of [
    ['set', 'automaticUpdates', 'on'],
    ['reset', 'updateChannel'],
  ]) {
    const refused = await settings(...args);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Managed by your organization (Acme)')]);
  }
  await openApplication(env);
  const refused = await settings('set', 'automaticUpdates', 'on');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Updates come from IT.')]);
});

test('tags are set, listed and cleared, and what cannot be sent is refused with its name', async () => {
  const { run } = await computer();
  expect((await run('tags', 'set', 'team=Zürich', 'project=')).stdout).toBe('team is Zürich.\nproject is left out.\n');
  const { stdout, stderr } = await run('tags');
  expect(stdout).toMatch(/^team +Zürich +you\nproject +left out +you$/m);
  expect(stderr).toContain('Causeway adds "client" and "project".');
  const refused = await run('tags', 'set', 'team=a\nb');
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('The tag "team" has a character that cannot be sent (U+000A).'),
  ]);
  expect((await run('tags', 'set', 'team')).stderr).toContain('Use the form NAME=VALUE');
  const missing = await run('tags', 'clear', 'color');
  expect([missing.code, missing.stderr]).toEqual([4, expect.stringContaining('You have set no tag "color".')]);
  expect((await run('tags', 'clear', 'team')).stdout).toBe('team is not set.\n');
  expect(JSON.parse((await run('tags', 'clear', '--all', '--json')).stdout).tags).toEqual([]);
});

test('tags that the organization has locked cannot be changed, and others can', async () => {
  const { run } = await managedHome(() => ({ requestTags: locked({ cost: '4711' }, 'Finance needs it.') }));
  const { code, stderr } = await run('settings', 'tags', 'set', 'cost=1');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('Managed by your organization: the tag "cost" cannot be changed. Finance needs it.'),
  ]);
  await run('settings', 'tags', 'set', 'team=data');
  expect((await run('settings', 'tags')).stdout).toMatch(/^cost +4711 +your organization, locked\nteam +data +you$/m);
});
