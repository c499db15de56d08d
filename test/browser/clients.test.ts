import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAnswerStore } from '../../main/bridge/answer-store.ts';
import { useWindow, whyNotHere } from './shown-window.ts';

const SQL = { name: 'databricks-sql', profile: 'ana', kind: 'sql', path: '/api/2.0/mcp/sql' };
const GENIE = { name: 'genie-7191', profile: 'ana', kind: 'genie', path: '/api/2.0/mcp/genie/7191' };
const CURSOR = '.cursor/mcp.json';
const CLAUDE = '.config/Claude/claude_desktop_config.json';
const THEIRS = '{\n  // mine\n  "mcpServers": {\n    "files": { "command": "npx" }\n  }\n}\n';

describe.skipIf(whyNotHere)('the AI clients in the window', { timeout: 180_000 }, () => {
  const { shown, button, inspect, go, tabTo } = useWindow();

  const file = async (path: string, text: string) => {
    await mkdir(dirname(join(shown.home, path)), { recursive: true });
    await writeFile(join(shown.home, path), text);
  };
  const read = (path: string) => readFile(join(shown.home, path), 'utf8');
  const haveServers = (...servers: object[]) => file('causeway/config/servers.json', JSON.stringify({ servers }));
  const entries = async (path: string): Promise<string[]> =>
    Object.keys(JSON.parse((await read(path)).replaceAll(/\/\/.*/g, '')).mcpServers ?? {});
  const client = (name: string) => shown.page.getByRole('listitem', { name, exact: true });
  const dialog = (name: string) => shown.page.getByRole('dialog', { name });
  const turn = (server: string, name: string) =>
    shown.page
      .getByRole('switch', { name: `${server} in ${name}` })
      .locator('xpath=..')
      .click();
  const isOn = (server: string, name: string) =>
    shown.page.getByRole('switch', { name: `${server} in ${name}` }).isChecked();
  /** A program under the name by which Claude Desktop is known to run. */
  const startClaude = async () => {
    const program = join(shown.home, 'claude-desktop');
    await copyFile('/usr/bin/sleep', program);
    const running = spawn(program, ['120']);
    await once(running, 'spawn');
    return running;
  };
  /** The workspace has no such space: its server is left out unless the user wants it. */
  const knownToFail = (server: string) =>
    expect
      .poll(() => shown.server.model.state.servers.find(({ name }) => name === server)?.state.status)
      .toBe('not-found');
  const openBackups = async () => {
    await button('More actions').click();
    await shown.page.getByRole('menuitem', { name: 'Backups…' }).click();
  };
  const closed = () => shown.page.getByRole('dialog').waitFor({ state: 'detached' });

  it('the empty screen leads to the next step when there are no servers or no clients', async () => {
    await go('AI clients');
    await shown.page.getByRole('heading', { name: 'No servers yet' }).waitFor();
    await inspect('clients-no-servers');
    await button('Add servers').click();
    await shown.page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor();

    await haveServers(SQL);
    await go('AI clients');
    await shown.page.getByRole('heading', { name: 'No AI clients found' }).waitFor();
    await button('Copy configuration').click();
    await shown.page.getByText('Configuration copied').waitFor();
    await inspect('clients-none-found');
    const { mcpServers } = JSON.parse(shown.server.copied.at(-1) ?? '');
    const { command, args } = mcpServers['databricks-sql'];
    expect([command, ...args].slice(-5)).toEqual(['proxy', '--profile', 'ana', '--path', SQL.path]);
    // As that other client would start it.
    const started = spawn(command, [...args.slice(0, -5), '--version'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [code] = await once(started, 'close');
    expect(code).toBe(0);
  });

  it('the first entry in a file is shown as a diff, written, and removed again', async () => {
    await haveServers(SQL, GENIE);
    await file(CURSOR, THEIRS);
    await go('AI clients');
    await client('Cursor').waitFor();
    expect(await shown.page.getByText(join(shown.home, '.cursor')).count()).toBe(0);
    await inspect('clients');
    await button('Details of Cursor').click();
    await client('Cursor')
      .getByText(`${join(shown.home, '.cursor')} exists`)
      .waitFor();
    await inspect('clients-details');
    await button('Details of Cursor').click();
    await turn('databricks-sql', 'Cursor');
    await dialog('Add databricks-sql to Cursor').getByText('"databricks-sql": {').waitFor();
    await inspect('clients-difference');
    expect(await read(CURSOR)).toBe(THEIRS);
    await button('Add').click();
    await closed();
    await client('Cursor').getByText('Restart Cursor.').waitFor();
    await expect.poll(() => isOn('databricks-sql', 'Cursor')).toBe(true);
    expect(await entries(CURSOR)).toEqual(['files', 'databricks-sql']);
    await inspect('clients-written');
    await go('Warehouse');
    await go('AI clients');
    await client('Cursor').getByText('Restart Cursor.').waitFor();

    // The file is known now.
    await turn('genie-7191', 'Cursor');
    await client('Cursor').getByText('Connected', { exact: true }).waitFor();
    expect(await entries(CURSOR)).toEqual(['files', 'databricks-sql', 'genie-7191']);
    await turn('genie-7191', 'Cursor');
    await client('Cursor').getByText('1 of 2 servers').waitFor();
    await turn('databricks-sql', 'Cursor');
    await client('Cursor').getByText('Not connected').waitFor();
    expect(await read(CURSOR)).toBe(THEIRS);
  });

  it('a server is switched on and off with the keyboard alone', async () => {
    await haveServers(SQL);
    await file(CURSOR, '{}');
    await go('AI clients');
    await client('Cursor').waitFor();
    await shown.page.getByRole('switch', { name: 'databricks-sql in Cursor' }).focus();
    await shown.page.keyboard.press('Space');
    await dialog('Add databricks-sql to Cursor').getByText('"databricks-sql": {').waitFor();
    await tabTo('Add');
    await shown.page.keyboard.press('Enter');
    await closed();
    expect(await entries(CURSOR)).toEqual(['databricks-sql']);
    await tabTo('Dismiss');
    await shown.page.keyboard.press('Enter');
    await client('Cursor').getByText('Restart Cursor').waitFor({ state: 'detached' });
    await button('Details of Cursor').focus();
    await shown.page.keyboard.press('Enter');
    await button('Copy its configuration').waitFor();
    await inspect('clients-more');
  });

  it('all servers are added to all clients, and a file that cannot be written does not stop the others', async () => {
    await haveServers(SQL, GENIE);
    await file(CURSOR, '{\n  "mcpServers": {\n    "a": }\n}\n');
    await file('.config/zed/settings.json', THEIRS);
    await mkdir(join(shown.home, '.codex'));
    await go('AI clients');
    await client('Cursor').getByText('mcp.json, line 3, column 10').waitFor();
    await inspect('clients-unreadable');
    await knownToFail('genie-7191');
    await button('Add to all…').click();
    await dialog('Add all servers').getByText('Left out because of a problem: genie-7191.').waitFor();
    await inspect('clients-left-out');
    await button('Include anyway').click();
    await dialog('Add all servers').getByText('Adds databricks-sql and genie-7191 to Zed and OpenAI Codex.').waitFor();
    expect(await dialog('Add all servers').getByText('[mcp_servers.databricks-sql]').isVisible()).toBe(false);
    await dialog('Add all servers').getByText('OpenAI Codex', { exact: true }).click();
    await dialog('Add all servers').getByText('[mcp_servers.databricks-sql]').waitFor();
    await dialog('Add all servers').getByText('line 3, column 10').waitFor();
    await inspect('clients-add-all');
    await button('Add').click();
    await client('OpenAI Codex').getByText('Connected', { exact: true }).waitFor();
    expect(await read('.codex/config.toml')).toContain('[mcp_servers.genie-7191]');
    expect(await read('.config/zed/settings.json')).toContain('"context_servers"');
    expect(await read(CURSOR)).toBe('{\n  "mcpServers": {\n    "a": }\n}\n');
    await dialog('Add all servers').getByText('OpenAI Codex', { exact: true }).waitFor({ state: 'detached' });
    await dialog('Add all servers').getByRole('button', { name: 'Close' }).last().click();
    await closed();
  });

  it('an entry that another program changes is noticed and repaired', async () => {
    await haveServers(SQL);
    await file(CURSOR, '{}');
    await go('AI clients');
    await turn('databricks-sql', 'Cursor');
    await button('Add').click();
    await client('Cursor').getByText('Connected', { exact: true }).waitFor();
    const written = await read(CURSOR);
    await file(CURSOR, '{}');
    await client('Cursor').getByText('Removed from the file', { exact: true }).waitFor();
    await client('Cursor').getByText('databricks-sql was removed by another program.').waitFor();
    await inspect('clients-gone');
    await file(CURSOR, written.replace(SQL.path, '/api/2.0/mcp/other'));
    await client('Cursor').getByText('Changed outside Causeway').waitFor();
    await client('Cursor').getByText('databricks-sql was changed by another program.').waitFor();
    await inspect('clients-changed');
    await button('Repair…').click();
    await dialog('Repair Cursor').getByText('/api/2.0/mcp/other').waitFor();
    await inspect('clients-repair');
    await button('Repair').click();
    await closed();
    await client('Cursor').getByText('Connected', { exact: true }).waitFor();
    expect(await read(CURSOR)).toBe(written);
  });

  it('a change waits for a running client that would undo it', async () => {
    await haveServers(SQL);
    await file(CLAUDE, '{}');
    const running = await startClaude();
    await go('AI clients');
    await client('Claude Desktop').waitFor();
    await turn('databricks-sql', 'Claude Desktop');
    await dialog('Add databricks-sql').getByText('Quit Claude Desktop first').waitFor();
    await inspect('clients-running');
    await button('Add').click();
    await dialog('Add databricks-sql').getByText('Quit Claude Desktop, then try again').waitFor();
    await inspect('clients-still-running');
    expect(await read(CLAUDE)).toBe('{}');
    running.kill();
    await once(running, 'close');
    await button('Try again').click();
    await closed();
    expect(await entries(CLAUDE)).toEqual(['databricks-sql']);
    await client('Claude Desktop').getByText('Quit and reopen Claude Desktop.').waitFor();
  });

  it('a foreign entry in a running client is replaced only after a second confirmation', async () => {
    await haveServers(SQL);
    const theirs = '{"mcpServers":{"databricks-sql":{"command":"python"}}}';
    await file(CLAUDE, theirs);
    const running = await startClaude();
    await go('AI clients');
    await turn('databricks-sql', 'Claude Desktop');
    await button('Replace entry…').click();
    await dialog('Add databricks-sql').getByText('"proxy"').waitFor();
    await button('Add').click();
    await dialog('Add databricks-sql').getByText('Quit Claude Desktop, then try again').waitFor();
    expect(await read(CLAUDE)).toBe(theirs);
    await button('Add anyway').click();
    await closed();
    expect(await read(CLAUDE)).toContain('"proxy"');

    await openBackups();
    await shown.page.getByRole('button', { name: /^Restore Claude Desktop/ }).click();
    await button('Restore file').click();
    await dialog('Backups').getByText('Quit Claude Desktop, then try again').waitFor();
    expect(await read(CLAUDE)).toContain('"proxy"');
    await button('Restore anyway').click();
    await expect.poll(() => read(CLAUDE)).toBe(theirs);
    running.kill();
    await once(running, 'close');
  });

  it('a client is set to connect directly after the window says what that costs', async () => {
    await haveServers(SQL, GENIE);
    await file('.claude.json', '{}');
    await file('.warp/.mcp.json', '{}');
    await go('AI clients');
    await button('Details of Warp').click();
    await client('Warp').getByRole('button', { name: 'Copy its configuration' }).waitFor();
    expect(
      await client('Warp')
        .getByRole('button', { name: /connect directly/ })
        .count(),
    ).toBe(0);
    await button('Details of Claude Code').click();
    await button('Let Claude Code connect directly…').click();
    const asking = dialog('Let Claude Code connect directly');
    await asking.getByText('Shared sign-in').waitFor();
    await inspect('clients-by-itself');
    await asking.getByLabel('Client ID').fill('our-application');
    await asking.getByLabel('Callback port').fill('8020');
    await button('Preview changes…').click();
    await asking.getByText('"clientId": "our-application"').waitFor();
    await button('Update').click();
    await closed();
    expect(JSON.parse(await read('.claude.json')).mcpServers).toEqual({
      'databricks-sql': {
        type: 'http',
        url: `${shown.workspace.host}${SQL.path}`,
        oauth: { clientId: 'our-application', callbackPort: 8020 },
      },
    });
    await expect.poll(() => isOn('databricks-sql', 'Claude Code')).toBe(true);
    await turn('databricks-sql', 'Claude Code');
    await expect.poll(async () => JSON.parse(await read('.claude.json')).mcpServers ?? {}).toEqual({});
  });

  it('a foreign entry is replaced only after the user confirms', async () => {
    await haveServers(SQL);
    await file(CURSOR, '{"mcpServers":{"databricks-sql":{"command":"python"}}}');
    await go('AI clients');
    await client('Cursor').getByText('Cursor has another entry named databricks-sql.').waitFor();
    await turn('databricks-sql', 'Cursor');
    await dialog('Add databricks-sql').getByText('that Causeway did not write').waitFor();
    await inspect('clients-foreign');
    expect(await button('Add').isDisabled()).toBe(true);
    await button('Replace entry…').click();
    await dialog('Add databricks-sql').getByText('"proxy"').waitFor();
    await button('Add').click();
    await closed();
    expect(await read(CURSOR)).toContain('"proxy"');
  });

  it('removing from one of two clients that share a file says who else loses the server', async () => {
    await haveServers(SQL);
    await file('.claude.json', '{}');
    await mkdir(join(shown.home, '.cursor'));
    await symlink(join(shown.home, '.claude.json'), join(shown.home, CURSOR));
    await go('AI clients');
    await button('Details of Cursor').click();
    await client('Cursor').getByText('shared with Claude Code').waitFor();
    await turn('databricks-sql', 'Cursor');
    await button('Add').click();
    await client('Claude Code').getByText('Connected', { exact: true }).waitFor();
    await closed();
    await turn('databricks-sql', 'Cursor');
    await dialog('Remove databricks-sql from Cursor').getByText('Claude Code').first().waitFor();
    await inspect('clients-shared-file');
    await button('Cancel').click();
    await closed();
    expect(await isOn('databricks-sql', 'Claude Code')).toBe(true);
  });

  it('a project gets entries that hold no path of this computer, and they are listed and removed', async () => {
    await haveServers(SQL);
    await file(CURSOR, '{}');
    const project = join(shown.home, 'team project');
    await mkdir(project);
    shown.server.fileAnswers.push(project);
    await go('AI clients');
    await button('Details of Cursor').click();
    await client('Cursor').getByRole('button', { name: 'Add to a project…' }).click();
    await dialog('Set up Cursor in a project').getByText('"causeway"').waitFor();
    await inspect('clients-add-to-project');
    await button('Add').click();
    await closed();
    const listed = shown.page.getByRole('region', { name: `Cursor in ${project}` });
    await listed.waitFor();
    await listed.getByText('Command not on PATH').waitFor();
    await inspect('clients-in-project');
    expect(await read('team project/.cursor/mcp.json')).not.toContain(shown.home);
    await listed.getByRole('button', { name: 'Remove from project…' }).click();
    await button('Remove').click();
    await closed();
    await listed.waitFor({ state: 'detached' });
  });

  it('an entry that would be written differently today works, and is updated', async () => {
    await haveServers(SQL);
    await file('.config/opencode/opencode.json', '{}');
    await go('AI clients');
    await turn('databricks-sql', 'opencode');
    await button('Add').click();
    await closed();
    const written = await read('.config/opencode/opencode.json');
    // As an earlier version wrote it, which gave no time.
    const record = join(shown.home, 'causeway/state/client-files.json');
    for (const path of [join(shown.home, '.config/opencode/opencode.json'), record]) {
      await writeFile(path, (await readFile(path, 'utf8')).replaceAll(/,\s*"timeout": ?300000/g, ''));
    }
    await client('opencode').getByText('Update available').waitFor();
    await inspect('clients-outdated');
    await button('Update…').click();
    await dialog('Update opencode').getByText('"timeout"').waitFor();
    await button('Update').click();
    await closed();
    expect(await read('.config/opencode/opencode.json')).toBe(written);
  });

  it('a backup restores the earlier content of a file', async () => {
    await haveServers(SQL);
    await file(CURSOR, THEIRS);
    await go('AI clients');
    await openBackups();
    await shown.page.getByText('No backups yet').waitFor();
    await inspect('clients-no-backups');
    await shown.page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await closed();
    await turn('databricks-sql', 'Cursor');
    await button('Add').click();
    await closed();
    await openBackups();
    await shown.page.getByRole('button', { name: /^Restore Cursor/ }).waitFor();
    await inspect('clients-backups');
    await shown.page.getByRole('button', { name: /^Restore Cursor/ }).click();
    await dialog('Backups').getByText('"databricks-sql": {').waitFor();
    await inspect('clients-restore');
    await button('Restore file').click();
    await shown.page
      .getByRole('button', { name: /^Restore Cursor/ })
      .nth(1)
      .waitFor();
    expect(await read(CURSOR)).toBe(THEIRS);
    await shown.page.keyboard.press('Escape');
    await closed();
    await client('Cursor').getByText('Not connected').waitFor();
  });

  it('a link lets a client add a server itself, and tool names that are too long are listed', async () => {
    await haveServers(SQL);
    const tool = 'a_tool_whose_name_is_much_longer_than_any_that_people_would_type';
    const frame = { jsonrpc: '2.0', id: 1, result: { tools: [{ name: tool, inputSchema: { type: 'object' } }] } };
    const env = { HOME: shown.home, CAUSEWAY_HOME: join(shown.home, 'causeway') };
    const memory = openAnswerStore(env, { host: shown.workspace.host, path: SQL.path, profile: 'ana' });
    // What the server itself tells is kept first, and would be kept instead.
    await expect.poll(() => shown.server.model.state.servers[0]?.state.status).toBe('ready');
    await expect.poll(async () => await memory.get('tools/list')).toBeDefined();
    await memory.put('tools/list', Buffer.from(JSON.stringify(frame)));
    await file(CURSOR, '{}');
    await go('AI clients');
    await shown.page.getByText(`Too long: ${tool}`).waitFor();
    await inspect('clients-long-names');
    await button('Details of Cursor').click();
    await button('Let Cursor add databricks-sql').click();
    await expect
      .poll(() => shown.server.opened.at(-1))
      .toMatch(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?/);
    expect(await read(CURSOR)).toBe('{}');
    await button('Copy its configuration').click();
    await shown.page.getByText('Configuration copied').waitFor();
    expect(JSON.parse(shown.server.copied.at(-1) ?? '').mcpServers).toHaveProperty('databricks-sql');
  });

  it('orphaned entries of a removed server are removed', async () => {
    await haveServers(SQL, GENIE);
    await file(CURSOR, '{}');
    await go('AI clients');
    await knownToFail('genie-7191');
    await button('Add to all…').click();
    await button('Include anyway').click();
    await dialog('Add all servers').getByText('"genie-7191": {').waitFor();
    await button('Add').click();
    await closed();
    await haveServers(SQL);
    await go('Warehouse');
    await go('AI clients');
    await client('Cursor').getByText('genie-7191: no longer one of your servers.').waitFor();
    await inspect('clients-left-over');
    await button('Remove…').click();
    await dialog('Remove genie-7191 from Cursor').getByText('"genie-7191": {').waitFor();
    await button('Remove').click();
    await closed();
    expect(await entries(CURSOR)).toEqual(['databricks-sql']);
  });

  it('the screen offers a retry when the clients cannot be listed', async () => {
    const problem = { code: 'internal', message: 'Something went wrong.', remedy: 'Try again.' };
    await shown.page.route('**/requests/causeway:listClients', (route) =>
      route.fulfill({ json: { ok: false, problem } }),
    );
    await go('AI clients');
    await shown.page.getByText('Something went wrong.').waitFor();
    await inspect('clients-failed');
    await shown.page.unroute('**/requests/causeway:listClients');
    await button('Try again').click();
    await shown.page.getByRole('heading', { name: 'No servers yet' }).waitFor();
  });
});
