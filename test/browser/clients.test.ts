import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAnswerStore } from '../../main/bridge/answer-store.ts';
import { CURSOR, GENIE, SQL, THEIRS, useClientsScreen } from './clients-screen.ts';
import { whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('the AI clients in the window', { timeout: 180_000 }, () => {
  const {
    shown,
    button,
    inspect,
    go,
    tabTo,
    file,
    read,
    haveServers,
    entries,
    client,
    dialog,
    turn,
    isOn,
    knownToFail,
    closed,
  } = useClientsScreen();

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
    expect(args.slice(-4)).toEqual(['--profile', 'ana', '--path', SQL.path]);
    const at = args.indexOf('proxy');
    expect(args[at + 1]).toBe('--environment');
    // As that other client would start it.
    const started = spawn(command, [...args.slice(0, at), '--version'], { stdio: ['ignore', 'pipe', 'inherit'] });
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

  it('a client is tested: what it will see, why not, canceled, and again', async () => {
    await haveServers(SQL);
    await file('.codex/config.toml', '');
    await go('AI clients');
    await button('Details of OpenAI Codex').click();
    await client('OpenAI Codex').getByText('ChatGPT, Codex App').waitFor();
    expect(await button('Test connection').count()).toBe(0);
    await turn('databricks-sql', 'OpenAI Codex');
    await button('Add').click();
    await closed();
    await button('Test connection').click();
    const result = shown.page.getByRole('region', { name: 'What OpenAI Codex will see' });
    await result.getByText(/^OpenAI Codex will see [2-9] tools of databricks-sql after \d+\.\d s\.$/).waitFor();
    await inspect('clients-test-passed');

    // The entry starts what answers nobody.
    const entry = await read('.codex/config.toml');
    const silent = join(shown.home, 'bin', 'causeway');
    await mkdir(join(shown.home, 'bin'));
    await writeFile(silent, '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
    const [command = '', script = ''] = [/^command = .*/m.exec(entry)?.[0], /"[^"]*causeway\.js", /.exec(entry)?.[0]];
    await file('.codex/config.toml', entry.replace(command, `command = ${JSON.stringify(silent)}`).replace(script, ''));
    // What was found is of the entry as it was.
    await button('Test connection').click();
    await result.getByText('Starting its servers as OpenAI Codex does…').waitFor();
    await inspect('clients-test-running');
    await result.getByRole('button', { name: 'Cancel' }).click();
    await result.getByText('Test canceled.').waitFor();

    await rm(silent);
    await button('Test again').click();
    await result.getByText(`The program ${silent} does not exist.`).waitFor();
    await inspect('clients-test-failed');

    const problem = { code: 'internal', message: 'Something went wrong.', remedy: 'Try again.' };
    await shown.page.route('**/requests/causeway:testClient', (route) =>
      route.fulfill({ json: { ok: false, problem } }),
    );
    await button('Test again').click();
    await result.getByText('Something went wrong.').waitFor();
    await shown.page.unroute('**/requests/causeway:testClient');
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
