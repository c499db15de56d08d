import { expect, onTestFinished, test, vi } from 'vitest';
import { createCauseway } from '../../../main/causeway.ts';
import { createDesktop } from '../../../main/desktop/desktop.ts';
import { currentPolicy } from '../../../main/policy/system-policy.ts';
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
  await vi.waitFor(() => expect(desktop.model.state.managed).toMatchObject({ organization: 'Acme' }));
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
