import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/app/causeway.ts';
import { createDesktop, type Desktop } from '../../../main/desktop/desktop.ts';
import { diagnosticsEvents } from '../../../preload/contract/diagnostics.ts';
import type { Diagnosis } from '../../../preload/contract.ts';
import { plainSettings, plainShell } from '../../plain-desktop.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { scriptedBrowser } from '../auth/scripted-browser.ts';

/** Each row of the specifications' error tables, made to happen and found by its check. */

let workspace: EmbeddedWorkspace;
let home: OwnHome;
let env: NodeJS.ProcessEnv;
let causeway: Causeway;
let desktop: Desktop;
let shell: ReturnType<typeof plainShell>;
let seen: Diagnosis[];

beforeEach(async () => {
  workspace = await startWorkspace();
  home = await ownHome(await readFile(workspace.profileFile, 'utf8'));
  env = home.env;
  causeway = createCauseway({ env, openBrowser: scriptedBrowser().open });
  shell = plainShell();
  seen = [];
  desktop = createDesktop({
    causeway,
    env,
    settings: plainSettings(env),
    shell,
    onEvent: (name, payload) => {
      if (name === 'diagnosisChanged') seen.push(diagnosticsEvents.diagnosisChanged.parse(payload));
    },
  });
});
afterEach(async () => {
  await desktop.close();
  await causeway.close();
  await workspace.close();
  await home.remove();
});

async function findings(profile: string) {
  await desktop.start(profile);
  await desktop.handlers.runDiagnosis(undefined);
  const { checks } = await desktop.handlers.getDiagnosis(undefined);
  return Object.fromEntries(checks.map((check) => [check.id, check]));
}

describe('the checks', () => {
  it('run in order, one after another, and succeed', async () => {
    const found = await findings('ana');
    const statuses = Object.fromEntries(Object.entries(found).map(([id, { status }]) => [id, status]));
    expect(statuses).toMatchObject({
      settings: 'pass',
      version: 'pass',
      configuration: 'pass',
      profile: 'pass',
      host: 'pass',
      tls: 'pass',
      clock: 'pass',
      store: 'pass',
      'sign-in': 'pass',
      override: 'pass',
      warehouse: 'pass',
      hub: 'pass',
      stalls: 'pass',
    });
    expect(found['sign-in']?.words).toBe('Signed in as ana@example.com.');
    expect(seen[0]).toMatchObject({ running: true });
    expect(seen.at(-1)).toMatchObject({ running: false });
    for (const { checks } of seen) expect(checks.filter(({ status }) => status === 'running').length).toBeLessThan(2);
  });

  it('find a configuration file that cannot be read, and a profile that cannot be used', async () => {
    await appendFile(home.configFile, '\n[broken]\ntoken = dapi0\n');
    const found = await findings('broken');
    expect(found.configuration).toMatchObject({ status: 'warning', words: expect.stringContaining('broken') });
    expect(found.profile).toMatchObject({ status: 'fail', nextStep: { screen: 'accounts' } });
    expect(found.host?.status).toBe('skipped');
  });

  it('find that the user is signed out, and offer to sign in', async () => {
    const found = await findings('oauth');
    expect(found.host?.status).toBe('pass');
    expect(found['sign-in']).toMatchObject({
      status: 'fail',
      remedy: 'Sign in here with your browser instead.',
      nextStep: { do: 'sign-in', profile: 'oauth' },
    });
    expect(found.override?.status).toBe('fail');
  });

  it('find that no host answers at the address', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await new Promise((resolve) => server.close(resolve));
    await writeFile(home.configFile, `[gone]\nhost = http://127.0.0.1:${port}\ntoken = dapi0\n`);
    const found = await findings('gone');
    expect(found.host).toMatchObject({ status: 'fail', words: expect.stringContaining('cannot be reached') });
    expect(found.tls?.status).toBe('skipped');
    expect(found.clock?.status).toBe('skipped');
  });

  it('find a network with a login page', async () => {
    workspace.faults.add({
      path: '*',
      effect: { kind: 'redirect', location: 'http://127.0.0.1:1/login' },
      times: 'always',
    });
    expect((await findings('ana')).host).toMatchObject({
      status: 'fail',
      words: expect.stringContaining('login page'),
    });
  });

  it('find a network that the workspace does not accept', async () => {
    workspace.faults.add({ path: '*', effect: { kind: 'block-ip' }, times: 'always' });
    const found = await findings('ana');
    expect(found.host).toMatchObject({ status: 'fail', words: expect.stringContaining('from this network') });
    expect(found['sign-in']).toMatchObject({ status: 'unknown', nextStep: null });
  });

  it('find a token that is refused', async () => {
    workspace.faults.add({ path: '/api/2.0/preview/scim/*', effect: { kind: 'refuse-token' }, times: 'always' });
    expect((await findings('ana'))['sign-in']).toMatchObject({ status: 'fail', nextStep: { screen: 'accounts' } });
  });

  it('find a workspace without overrides', async () => {
    workspace.features.overrides = false;
    expect((await findings('ana')).override).toMatchObject({ status: 'warning' });
  });

  it('find an override that leads to a warehouse that is gone', async () => {
    const ana = workspace.users.find(({ userName }) => userName === 'ana@example.com');
    const [first] = workspace.state.warehouses;
    await desktop.start('ana');
    await desktop.handlers.setOverride({ profile: 'ana', wanted: { type: 'CUSTOM', warehouseId: first?.id ?? '' } });
    workspace.state.replace({
      warehouses: workspace.state.warehouses.filter(({ id }) => id !== first?.id),
      overrides: [{ userId: ana?.id ?? '', type: 'CUSTOM', warehouseId: first?.id ?? '' }],
    });
    expect((await findings('ana')).warehouse).toMatchObject({
      status: 'fail',
      words: expect.stringContaining('no longer exists'),
      nextStep: { screen: 'warehouse' },
    });
  });

  it('end when they are canceled, and can be run again', async () => {
    await desktop.start('ana');
    const fault = workspace.faults.add({
      path: '/api/2.0/mcp/sql',
      effect: { kind: 'stall', milliseconds: 60_000 },
      times: 'always',
    });
    const running = desktop.handlers.runDiagnosis(undefined);
    await expect.poll(() => seen.at(-1)?.checks.find(({ id }) => id === 'host')?.status).toBe('running');
    await expect(desktop.handlers.runDiagnosis(undefined)).rejects.toMatchObject({ code: 'conflict' });
    await desktop.handlers.cancelDiagnosis(undefined);
    await running;
    const { running: stillRunning, checks } = await desktop.handlers.getDiagnosis(undefined);
    expect(stillRunning).toBe(false);
    expect(checks.find(({ id }) => id === 'profile')?.status).toBe('pass');
    expect(checks.filter(({ status }) => status === 'waiting' || status === 'running')).toEqual([]);
    expect(checks.at(-1)).toMatchObject({ status: 'unknown', words: 'Canceled.' });
    workspace.faults.remove(fault.id);
    expect((await findings('ana')).host?.status).toBe('pass');
  });
});

describe('the report', () => {
  it('is copied, and saved for its owner only, without the contents of the configuration', async () => {
    await findings('ana');
    await desktop.handlers.copyDiagnostics(undefined);
    const [text = ''] = shell.asked.copied;
    expect(text).toContain(`[pass] Sign-in: Signed in as [person].`);
    expect(text).toContain(workspace.host);
    for (const { token } of workspace.users) expect(text).not.toContain(token);
    const file = join(home.folder, 'report.txt');
    shell.asked.fileAnswers.push(file);
    expect(await desktop.handlers.saveDiagnostics(undefined)).toEqual({ file });
    expect(await readFile(file, 'utf8')).toContain('## Checks');
    expect(await desktop.handlers.saveDiagnostics(undefined)).toEqual({ file: null });
    shell.asked.fileAnswers.push(join(home.folder, 'nowhere', 'report.txt'));
    await expect(desktop.handlers.saveDiagnostics(undefined)).rejects.toMatchObject({ code: 'file_not_writable' });
  });
});
