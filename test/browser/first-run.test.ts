import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WORKSPACE_ID } from '../workspace/fixture.ts';
import { connectThroughEntry, readsRow } from './client-entry.ts';
import { ADDED_SQL, useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('the first run', { timeout: 240_000 }, () => {
  const { shown, button, inspect, allow, reopenIn, countClicks } = useWindow();

  /** A home in which nothing but Cursor is installed. */
  const openNew = async (configuration?: string) => {
    const home = join(shown.home, 'new');
    await mkdir(join(home, '.cursor'), { recursive: true });
    if (configuration !== undefined) await writeFile(join(home, '.databrickscfg'), configuration);
    await reopenIn(home, true);
    return home;
  };
  const heading = (name: string) => shown.page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const currentStep = (words: string) =>
    shown.page.locator('[aria-current="step"]').filter({ hasText: words }).waitFor();
  const url = () => shown.page.getByRole('textbox', { name: 'Workspace URL' });
  const config = (home: string) => readFile(join(home, '.databrickscfg'), 'utf8').catch(() => null);

  /** Notes each alert that is shown from now on, even for a moment. */
  const watchAlerts = async () => {
    const seen = await shown.page.evaluateHandle(() => {
      const texts: string[] = [];
      const look = () => {
        for (const alert of document.querySelectorAll('[role="alert"]')) {
          const text = alert.textContent ?? '';
          if (text !== '' && !texts.includes(text)) texts.push(text);
        }
      };
      look();
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
      return texts;
    });
    return () => seen.jsonValue();
  };

  it('leads from a fresh home to the first row of a real MCP client in at most five clicks', async () => {
    const home = await openNew();
    await heading('Connect your Databricks workspace');
    const clicks = await countClicks();
    await inspect('first-run-workspace');
    await url().fill(`${shown.workspace.host}/sql/editor?o=${WORKSPACE_ID}`);
    const alerts = await watchAlerts();
    await button('Continue').click();

    await currentStep('Sign in');
    await button('Copy link').waitFor();
    expect(await alerts()).toEqual([]);
    await inspect('first-run-sign-in');
    await allow();

    await heading('Choose servers');
    await shown.page.getByRole('checkbox', { name: 'New York taxi trips' }).waitFor();
    expect(await shown.page.getByRole('checkbox', { name: 'SQL', exact: true }).isChecked()).toBe(true);
    await inspect('first-run-servers');
    // Apps are not offered here: one whose name says nothing of a server is not missing.
    await shown.page.getByText('Loading what your workspace offers').waitFor({ state: 'detached' });
    expect(await shown.page.getByText('The list is incomplete.').count()).toBe(0);
    await button('Add 1 server').click();

    await heading('Connect your AI clients');
    expect(await shown.page.getByRole('checkbox', { name: 'Cursor' }).isChecked()).toBe(true);
    await inspect('first-run-clients');
    await button('Add to 1 client').click();

    await heading('You’re all set');
    await shown.page.getByText('Restart Cursor').waitFor();
    await inspect('first-run-done');
    await button('Open Cursor').click();
    await expect.poll(() => shown.server.opened.at(-1)).toMatch(/^cursor:.*prompt\?text=List%20the%20tables/);
    expect(await clicks()).toBeLessThanOrEqual(5);

    const client = await connectThroughEntry(home, 'databricks-sql');
    await readsRow(client);
    expect(shown.server.model.state.proxies).toMatchObject([{ path: ADDED_SQL }]);
    await shown.page.getByText('Connected', { exact: true }).waitFor();
    await client.close();

    await button('Copy prompt').click();
    await expect.poll(() => shown.server.copied.at(-1)).toBe('List the tables I can query in Databricks.');
    await button('Open Causeway').click();
    await shown.page.getByRole('navigation', { name: 'Screens' }).waitFor();
    await shown.page.reload();
    await shown.page.getByRole('navigation', { name: 'Screens' }).waitFor();
  });

  it('explains what is wrong with a URL, asks the workspace, and writes nothing before both', async () => {
    const home = await openNew();
    const refusals: [typed: string, words: string][] = [
      ['hello', '“hello” is not a workspace URL.'],
      ['http://acme.cloud.databricks.com', 'A workspace URL begins with https://, not http://.'],
      ['https://example.com', 'example.com is not a Databricks host.'],
      ['http://127.0.0.1:1', 'http://127.0.0.1:1 cannot be reached'],
      [`${shown.server.url}`, 'does not respond like a Databricks workspace'],
    ];
    for (const [typed, words] of refusals) {
      await url().fill(typed);
      await shown.page.keyboard.press('Enter');
      await shown.page.getByText(words).waitFor();
    }
    await inspect('first-run-refused');
    expect(await config(home)).toBe(null);
    await currentStep('Workspace');
    await button('Skip for now').click();
    await shown.page.getByRole('navigation', { name: 'Screens' }).waitFor();
    expect(await config(home)).toBe(null);
  });

  it('writes nothing for a URL that is replaced or left while it is checked', async () => {
    const home = await openNew();
    const slow = { kind: 'delay', milliseconds: 2_000 } as const;
    const fault = shown.workspace.faults.add({ path: '/oidc/*', effect: slow, times: 'always' });
    const checks = () => shown.workspace.requests.list({ path: '/oidc/*' });
    await url().fill(shown.workspace.host);
    await button('Continue').click();
    await expect.poll(() => checks().length).toBe(1);
    await url().fill('https://example.com');
    await button('Continue').click();
    await shown.page.getByText('example.com is not a Databricks host.').waitFor();
    await url().fill(shown.workspace.host);
    await button('Continue').click();
    await expect.poll(() => checks().length).toBe(2);
    await button('Skip for now').click();
    await expect.poll(() => checks().every(({ ended }) => ended !== undefined), { timeout: 10_000 }).toBe(true);
    shown.workspace.faults.remove(fault.id);
    await shown.page.reload();
    await shown.page.getByRole('navigation', { name: 'Screens' }).waitFor();
    expect(await config(home)).toBe(null);
  });

  it('keeps its place after a canceled sign-in and a new window, and entries can be corrected', async () => {
    const home = await openNew();
    await url().fill(shown.workspace.host);
    await shown.page.getByRole('textbox', { name: 'Name' }).fill('typo');
    await button('Continue').click();
    await button('Cancel').click();
    await shown.page.getByText('Sign-in canceled.').waitFor();
    await currentStep('Sign in');
    await inspect('first-run-cancelled');
    await shown.page.reload();
    await shown.page.getByText('Sign-in canceled.').waitFor();
    await currentStep('Sign in');

    await button('Edit URL').click();
    expect(await url().inputValue()).toBe(shown.workspace.host);
    await shown.page.getByRole('textbox', { name: 'Name' }).fill('work');
    await button('Continue').click();
    await button('Copy link').waitFor();
    expect(await config(home)).toContain('[work]');
    expect(await config(home)).not.toContain('typo');
    await allow();
    await heading('Choose servers');

    await shown.page.getByRole('checkbox', { name: 'Orders' }).check();
    await shown.page.reload();
    await heading('Choose servers');
    expect(await shown.page.getByRole('checkbox', { name: 'Orders' }).isChecked()).toBe(true);
    await button('Add 2 servers').click();
    await heading('Connect your AI clients');
    await button('Back').click();
    await shown.page.getByRole('checkbox', { name: 'Orders' }).uncheck();
    await button('Continue').click();
    await heading('Connect your AI clients');
    expect(shown.server.model.state.servers.map(({ name }) => name)).toEqual(['databricks-sql']);
    await shown.page.getByRole('button', { name: /^Servers/ }).click();
    await heading('Choose servers');
  });

  it('uses an existing profile without asking for a sign-in that it already has', async () => {
    const { host } = shown.workspace;
    const theirs = await readFile(join(shown.home, '.databrickscfg'), 'utf8');
    await openNew(`${theirs}\n[old]\nhost = not an address\n`);
    await shown.page.getByText('Workspaces on this computer').waitFor();
    await shown.page.getByText(host.replace('http://', '')).first().waitFor();
    expect(await shown.page.getByRole('button', { name: /^old/ }).isDisabled()).toBe(true);
    await inspect('first-run-profiles');
    await shown.page.getByRole('button', { name: /^ana/ }).click();
    await heading('Choose servers');
    expect(shown.server.opened).toEqual([]);

    await button('Back').click();
    await button('Use another workspace').click();
    await url().fill(host);
    await button('Continue').click();
    // A workspace that is known is not added again.
    await heading('Choose servers');
  });

  it('uses the login of the Databricks CLI without a page in the browser', async () => {
    const theirs = await readFile(join(shown.home, '.databrickscfg'), 'utf8');
    const token = /\[ana\][^[]*token\s*=\s*(\S+)/.exec(theirs)?.[1];
    const cli = join(shown.home, 'databricks');
    const answer = JSON.stringify({ access_token: token, token_type: 'Bearer', expiry: '2099-01-01T00:00:00Z' });
    const script = `#!/bin/sh\n[ "$1" = --version ] && { echo "Databricks CLI v1.13.0"; exit 0; }\necho '${answer}'\n`;
    await writeFile(cli, script, { mode: 0o755 });
    await openNew(`[work]\nhost = ${shown.workspace.host}\nauth_type = databricks-cli\ndatabricks_cli_path = ${cli}\n`);
    await shown.page.getByRole('button', { name: /^work/ }).click();
    await heading('Choose servers');
    expect(shown.server.opened).toEqual([]);
  });

  it('shows the diff before it writes, and names clients that could not be changed', async () => {
    const theirs = await readFile(join(shown.home, '.databrickscfg'), 'utf8');
    const home = await openNew(theirs);
    await mkdir(join(home, '.codex'));
    await shown.page.getByRole('button', { name: /^ana/ }).click();
    await button('Add 1 server').click();
    await heading('Connect your AI clients');
    await button('Preview changes').click();
    await shown.page.getByText('[mcp_servers.databricks-sql]').waitFor();
    await inspect('first-run-preview');
    expect(await readFile(join(home, '.cursor/mcp.json'), 'utf8').catch(() => null)).toBe(null);
    await button('Hide changes').click();

    // What is there now is another program's.
    await writeFile(join(home, '.cursor/mcp.json'), '{"mcpServers":{"databricks-sql":{"command":"python"}}}');
    await button('Add to 2 clients').click();
    await shown.page.getByText('Cursor was not changed.').waitFor();
    await inspect('first-run-partly');
    expect(await readFile(join(home, '.codex/config.toml'), 'utf8')).toContain('[mcp_servers.databricks-sql]');
    await button('Continue').click();
    await heading('You’re all set');
    await shown.page.getByText('OpenAI Codex').waitFor();
  });
});
