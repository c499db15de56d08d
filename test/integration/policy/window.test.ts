import { expect, onTestFinished, test } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { createDesktop } from '../../../main/desktop/desktop.ts';
import { currentPolicy } from '../../../main/permissions/policy/system-policy.ts';
import { plainSettings, plainShell } from '../../plain-desktop.ts';
import { locked, managedHome } from './managed-home.ts';

async function managedDesktop(keys: (host: string) => object) {
  const { env, policy } = await managedHome(keys);
  await currentPolicy();
  const causeway = createCauseway({ env });
  const desktop = createDesktop({
    causeway,
    env,
    settings: plainSettings(env),
    shell: plainShell(),
    onEvent: () => {},
  });
  onTestFinished(async () => {
    await desktop.close();
    await causeway.close();
  });
  await desktop.start(undefined);
  return { desktop, policy };
}

test('the window shows what is managed, by which file and why', async () => {
  const { desktop, policy } = await managedDesktop((host) => ({
    organization: 'Acme',
    workspaces: locked([host], 'One workspace for all'),
  }));
  await expect.poll(() => desktop.model.state.managed).toMatchObject({ organization: 'Acme' });
  const { source, keys } = desktop.model.state.managed ?? {};
  expect(source).toBe(policy.file);
  expect(keys).toEqual([expect.objectContaining({ key: 'workspaces', locked: true, reason: 'One workspace for all' })]);
});

test('the window records no contents if the policy forbids it', async () => {
  const { desktop } = await managedDesktop(() => ({ recordContents: locked(false) }));
  await expect(desktop.handlers.recordContents({ durationMs: null })).rejects.toMatchObject({ code: 'managed' });
  desktop.activity.recording.start(null);
  expect(desktop.activity.recording.recorder).toBeUndefined();
});

test('the window changes no locked setting, and does not check for updates if they are off', async () => {
  const { desktop } = await managedDesktop(() => ({ tokenStore: locked('keychain'), updates: locked('off') }));
  const change = desktop.handlers.changeSettings({ tokenStore: 'encrypted-file' });
  await expect(change).rejects.toMatchObject({ code: 'managed' });
  await expect(desktop.handlers.changeSettings({ automaticUpdates: true })).rejects.toMatchObject({ code: 'managed' });
  await expect(desktop.handlers.checkForUpdates(undefined)).rejects.toMatchObject({ code: 'managed' });
});

test('the window shows what is in effect under locked permissions, and refuses what would have none', async () => {
  const { desktop } = await managedDesktop(() => ({ organization: 'Acme', readOnly: locked(true) }));
  const everything = { server: null, client: null };
  const shown = () => desktop.handlers.getPermissions(everything);
  expect(await shown()).toMatchObject({
    readOnly: false,
    readOnlyBy: 'Your organization allows only tools that read.',
  });
  const change = { ...everything, readOnly: false };
  await expect(desktop.handlers.changePermissions(change)).rejects.toMatchObject({
    code: 'managed',
    message: expect.stringContaining('for everything, read only stays on. Nothing was changed'),
  });
  await expect(
    desktop.handlers.changePermissions({ server: null, client: 'codex', readOnly: false }),
  ).rejects.toMatchObject({
    code: 'managed',
  });
  expect(await shown()).toMatchObject({ isEmpty: true, changes: [] });
  await desktop.handlers.changePermissions({ ...everything, readOnly: true });
  expect(await desktop.handlers.getPermissions({ server: null, client: 'codex' })).toMatchObject({
    readOnlyBy: 'Your organization allows only tools that read.',
  });
});

test('the window says which wider permission of the user makes a scope read-only', async () => {
  const { desktop } = await managedDesktop(() => ({}));
  await desktop.handlers.changePermissions({ server: null, client: null, readOnly: true });
  expect(await desktop.handlers.getPermissions({ server: null, client: 'codex' })).toMatchObject({
    readOnlyBy: 'Read only is on for all servers.',
  });
});
