import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setPolicySource } from '../../main/permissions/policy/system-policy.ts';
import { runCommand } from '../integration/warehouses/harness.ts';
import { useWindow, whyNotHere } from './shown-window.ts';

const SQL = '/api/2.0/mcp/sql';
const locked = (value: unknown, reason?: string) => ({ value, locked: true, ...(reason && { reason }) });
const POLICY = {
  version: 1,
  organization: 'Acme',
  contact: 'it@acme.example',
  tokenStore: locked('encrypted-file', 'Secrets stay in a file'),
  oauthApplication: locked({ clientId: 'acme-causeway' }),
  servers: locked([SQL]),
  requiredServers: locked([{ name: 'databricks-sql', profile: 'ana', path: SQL, kind: 'sql' }]),
  clients: locked(['cursor', 'codex'], 'Others are not reviewed yet'),
  requiredClients: locked(['cursor']),
  rules: locked({ servers: { [SQL]: { off: ['execute_sql'], ask: ['execute_sql_read_only'] } } }),
  recordContents: locked(false, 'Contents may be personal'),
  audit: locked({ file: true }, 'Everyone is audited'),
  updates: locked('off'),
  readOnly: { value: true, locked: false },
};

function setPolicy(policy: object): void {
  const text = Buffer.from(JSON.stringify(policy));
  setPolicySource({ name: '/etc/causeway/policy.json', version: () => 'one', read: async () => text });
}

describe.skipIf(whyNotHere)('the window on a managed computer', { timeout: 120_000 }, () => {
  // Before the window is opened, which then has it from the start.
  beforeEach(() => {
    setPolicy(POLICY);
  });
  const { shown, button, inspect, go, reopenIn } = useWindow();
  afterEach(() => setPolicySource(undefined));

  const notice = () =>
    shown.page.getByRole('main').getByRole('note').filter({ hasText: 'Managed by your organization, Acme' });
  const noticeText = async () => {
    await notice().first().waitFor();
    return notice().first().innerText();
  };
  const toggle = (name: string) => shown.page.getByRole('switch', { name });

  it('says in the settings what is managed and why, and changes no locked setting', async () => {
    await go('Settings');
    const text = await noticeText();
    expect(text).toContain('Secrets stay in a file');
    expect(text).toContain('it@acme.example');
    expect(text).not.toContain('Read only');
    const audit = toggle('Audit calls');
    await expect.poll(() => audit.isChecked()).toBe(true);
    expect(await audit.isDisabled()).toBe(true);
    await shown.page.getByText('Managed by your organization, Acme: Everyone is audited.').waitFor();
    expect(await toggle('Download updates automatically').count()).toBe(0);
    await inspect('settings-managed');
    shown.server.model.show({ update: { status: 'off' } });
    await button('Check for updates').waitFor();
    expect(await button('Check for updates').isDisabled()).toBe(true);
    expect(await toggle('Download updates automatically').isDisabled()).toBe(true);
  });

  it('adds no entry to an AI client that is not allowed, and removes none of a required one', async () => {
    for (const file of ['.cursor/mcp.json', '.config/Claude/claude_desktop_config.json']) {
      await mkdir(dirname(join(shown.home, file)), { recursive: true });
      await writeFile(join(shown.home, file), '{}\n');
    }
    const env = { HOME: shown.home, CAUSEWAY_HOME: join(shown.home, 'causeway'), PATH: '/usr/bin:/bin' };
    expect((await runCommand(env, ['clients', 'add', 'cursor', '--force'])).code).toBe(0);
    await go('AI clients');
    const text = await noticeText();
    expect(text).toContain('Allowed AI clients: Cursor, OpenAI Codex — Others are not reviewed yet');
    expect(text).toContain('Required AI clients: Cursor');
    const [cursor, claude] = ['Cursor', 'Claude Desktop'].map((name) => toggle(`databricks-sql in ${name}`));
    await expect.poll(() => cursor?.isChecked()).toBe(true);
    expect([await cursor?.isDisabled(), await claude?.isDisabled()]).toEqual([true, true]);
    expect(await claude?.isChecked()).toBe(false);
    const row = shown.page.getByRole('listitem', { name: 'Claude Desktop', exact: true });
    await row.getByText('Managed by your organization', { exact: true }).waitFor();
    await inspect('clients-managed');
  });

  it('ticks in the first run only AI clients that are allowed', async () => {
    const theirs = await readFile(join(shown.home, '.databrickscfg'), 'utf8');
    const home = join(shown.home, 'new');
    for (const folder of ['.cursor', '.config/Claude']) await mkdir(join(home, folder), { recursive: true });
    await writeFile(join(home, '.databrickscfg'), theirs);
    // Where servers are required, there is no first run.
    setPolicy({ ...POLICY, requiredServers: undefined });
    await reopenIn(home, true);
    await shown.page.getByRole('button', { name: /^ana/ }).click();
    await button('Add 1 server').click();
    const tick = (name: string) => shown.page.getByRole('checkbox', { name });
    await tick('Cursor').waitFor();
    const [cursor, claude] = [tick('Cursor'), tick('Claude Desktop')];
    expect([await cursor.isChecked(), await claude.isChecked()]).toEqual([true, false]);
    expect([await cursor.isDisabled(), await claude.isDisabled()]).toEqual([false, true]);
    await shown.page.getByText('Managed by your organization, Acme: Others are not reviewed yet.').waitFor();
    await button('Add to 1 client').waitFor();
  });

  it('keeps a required server, and shows the permissions of the organization beside the tools', async () => {
    await go('Servers');
    const text = await noticeText();
    expect(text).toContain('Required servers: databricks-sql');
    await inspect('servers-managed');
    await shown.page
      .getByRole('link', { name: /databricks-sql|SQL/ })
      .first()
      .click();
    const tool = (name: string) => shown.page.getByRole('combobox', { name: `Permission for ${name}`, exact: true });
    await tool('execute_sql').waitFor();
    expect(await tool('execute_sql').isDisabled()).toBe(true);
    expect(await tool('execute_sql').locator('option:checked').innerText()).toBe('Blocked by organization');
    const reading = tool('execute_sql_read_only');
    expect(await reading.isDisabled()).toBe(false);
    expect(await reading.locator('option').allInnerTexts()).toEqual(['Ask first', 'Block']);
    await inspect('server-managed');
    await shown.page.getByRole('button', { name: /^More actions for/ }).click();
    expect(await shown.page.getByRole('menuitem', { name: 'Remove server' }).isDisabled()).toBe(true);
  });

  it('says on the accounts screen that the OAuth application is fixed, and accepts no other one', async () => {
    await go('Accounts');
    expect(await noticeText()).toContain('OAuth application: acme-causeway');
    await inspect('accounts-managed');
    await shown.page.getByRole('button', { name: 'More actions for oauth' }).click();
    await shown.page.getByRole('menuitem', { name: /OAuth application/ }).click();
    const dialog = shown.page.getByRole('dialog');
    await dialog.getByText('OAuth application: acme-causeway').waitFor();
    expect(await dialog.getByRole('textbox').count()).toBe(0);
    await inspect('application-managed');
  });

  it('records no contents, and says why', async () => {
    await go('Activity');
    expect(await noticeText()).toContain('Contents may be personal');
    const recording = toggle('Record request and response contents');
    expect(await recording.isDisabled()).toBe(true);
    await inspect('activity-managed');
  });
});
