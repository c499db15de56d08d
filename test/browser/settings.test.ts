import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { auditFile } from '../../main/audit/audit-file.ts';
import { auditTargets, chooseAudit } from '../../main/permissions/policy/audit-choice.ts';
import manifest from '../../package.json' with { type: 'json' };
import { useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('the settings', () => {
  const { shown, inspect, go } = useWindow();
  const file = () => join(shown.home, 'causeway', 'config', 'settings.json');
  const stored = async () => JSON.parse(await readFile(file(), 'utf8'));
  const env = () => ({ HOME: shown.home, CAUSEWAY_HOME: join(shown.home, 'causeway') });
  const toggle = (name: string) => shown.page.getByRole('switch', { name });

  it('a setting takes effect at once and is kept for the next start', async () => {
    await go('Settings');
    await toggle('Start at login').waitFor();
    await inspect('settings');
    await shown.page.getByText('Open window at startup').click();
    await expect.poll(async () => (await stored()).openWindow).toBe(false);
    await shown.page.getByRole('combobox', { name: 'Theme' }).selectOption('Dark');
    await expect.poll(async () => (await stored()).appearance).toBe('dark');
    await toggle('Start at login').press('Space');
    await expect.poll(() => shown.server.asked.startsAtLogin).toBe(true);
    await shown.page.reload();
    await toggle('Start at login').waitFor();
    expect(await toggle('Start at login').isChecked()).toBe(true);
    expect(await toggle('Open window at startup').isChecked()).toBe(false);
    expect(await toggle('Desktop notifications').isChecked()).toBe(true);
    expect(await shown.page.getByRole('combobox', { name: 'Theme' }).inputValue()).toBe('dark');
  });

  it('a setting that cannot be stored says so at the switch and stays as it was', async () => {
    await go('Settings');
    await toggle('Desktop notifications').waitFor();
    await rm(file(), { force: true });
    await mkdir(file(), { recursive: true });
    await toggle('Desktop notifications').press('Space');
    const failure = shown.page.getByRole('alert');
    await failure.getByText('The settings could not be saved').waitFor();
    await inspect('settings-not-saved');
    expect(await toggle('Desktop notifications').isChecked()).toBe(true);
    await rm(file(), { recursive: true });
    await toggle('Desktop notifications').press('Space');
    await failure.waitFor({ state: 'detached' });
    // The old failure goes when the new change begins, the switch moves when that is stored.
    await expect.poll(() => toggle('Desktop notifications').isChecked()).toBe(false);
  });

  it('settings are shown and changed without a network', async () => {
    await shown.page.evaluate(() => window.dispatchEvent(new Event('offline')));
    await go('Settings');
    await toggle('Desktop notifications').press('Space');
    await expect.poll(async () => (await stored()).notifications).toBe(false);
  });

  it('a setting that the environment decides is marked', async () => {
    await go('Settings');
    const kept = shown.page.getByRole('combobox', { name: 'Credential storage' });
    await kept.waitFor();
    expect(await kept.isDisabled()).toBe(true);
    await shown.page.getByText('Set to “encrypted-file” by the environment variable').waitFor();
  });

  it('the audit of calls is off until the user turns it on, and says where the file is and what is in it', async () => {
    await go('Settings');
    await toggle('Audit calls').waitFor();
    expect(await toggle('Audit calls').isChecked()).toBe(false);
    await shown.page.getByText(`No SQL, no contents. File: ${auditFile(env())}`).waitFor();
    await toggle('Audit calls').press('Space');
    await expect.poll(() => auditTargets(env())).toMatchObject({ file: true });
    await toggle('Audit calls').press('Space');
    await expect.poll(() => auditTargets(env())).toBeUndefined();

    await chooseAudit(env(), { file: false, otlp: 'http://localhost:4318' });
    await go('Diagnostics');
    await go('Settings');
    await shown.page.getByText('Sent to http://localhost:4318.').waitFor();
    expect(await toggle('Audit calls').isChecked()).toBe(true);
  });

  it('an audit that cannot be chosen says so at the switch', async () => {
    await go('Settings');
    const choice = join(shown.home, 'causeway', 'config', 'audit.json');
    await mkdir(choice, { recursive: true });
    await toggle('Audit calls').press('Space');
    await shown.page.getByRole('alert').waitFor();
    expect(await toggle('Audit calls').isChecked()).toBe(false);
  });

  it('the screen opens the folder of the log', async () => {
    await go('Settings');
    await shown.page.getByRole('button', { name: 'Show log folder' }).click();
    await expect.poll(() => shown.server.asked.shown).toEqual([join(shown.home, 'causeway', 'logs')]);
  });

  it('the screen shows the version of Causeway, and the licenses of everything in it', async () => {
    await go('Settings');
    await shown.page.getByText(`Causeway ${manifest.version}`).waitFor();
    await shown.page.getByRole('button', { name: 'Show third-party notices' }).click();
    const dialog = shown.page.getByRole('dialog', { name: 'Third-party notices' });
    const software = dialog.getByRole('list', { name: 'Software in Causeway' });
    await software.getByText('Node.js').waitFor();
    await inspect('notices');
    await dialog.getByRole('searchbox', { name: 'Find software' }).fill('scheduler');
    await expect.poll(() => software.getByRole('listitem').count()).toBe(1);
    await software.getByText('scheduler').click();
    await dialog.getByText('Permission is hereby granted').waitFor();
    await inspect('notices-text');
    await dialog.getByRole('searchbox', { name: 'Find software' }).fill('nothing of this name');
    await dialog.getByText('No software matches “nothing of this name”').waitFor();
    await dialog.getByRole('button', { name: 'Show license files' }).click();
    await expect.poll(() => shown.server.asked.shown).toContain(dirname(process.execPath));
  });

  it('the screen shows the progress of an update, and what the user can do', async () => {
    const { model } = shown.server;
    await go('Settings');
    await shown.page.getByText('Built from source.').waitFor();
    model.show({ update: { status: 'idle', checkedAt: null } });
    await shown.page.getByRole('button', { name: 'Check for updates' }).waitFor();
    await toggle('Download updates automatically').waitFor();
    model.show({ update: { status: 'downloading', version: '2.0.0', percent: 40 } });
    await shown.page.getByRole('progressbar', { name: 'Download progress' }).waitFor();
    await toggle('Download updates automatically').scrollIntoViewIfNeeded();
    await inspect('settings-downloading');
    model.show({ update: { status: 'ready', version: '2.0.0' } });
    await shown.page.getByRole('button', { name: 'Restart to update' }).waitFor();
    await inspect('settings-update-ready');
    const problem = {
      code: 'unavailable',
      message: 'The update could not be downloaded.',
      remedy: 'Try later.',
    } as const;
    model.show({ update: { status: 'failed', problem } });
    await shown.page.getByText('The update could not be downloaded.').waitFor();
    await shown.page.getByText('Try later.').waitFor();
  });
});
