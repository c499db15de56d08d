import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Page } from 'playwright-core';
import { openServers } from '../../main/clients/servers.ts';
import type { RunningApplication } from '../desktop/application.ts';
import type { TakePicture } from './camera.ts';

const CLI = join(import.meta.dirname, '..', '..', 'out', 'cli', 'causeway.js');

/** What the workspace's user has for AI clients. */
const SERVERS = [
  { name: 'databricks-sql', profile: 'ana', kind: 'sql', path: '/api/2.0/mcp/sql' },
  {
    name: 'taxi-trips',
    profile: 'ana',
    kind: 'genie',
    path: '/api/2.0/mcp/genie/01ef2b7c5a9d1e3f8c4b6a0d2e5f7191',
    title: 'New York taxi trips',
  },
  { name: 'support-search', profile: 'ana', kind: 'vector-search', path: '/api/2.0/mcp/vector-search/main/support' },
  { name: 'main-default', profile: 'ana', kind: 'functions', path: '/api/2.0/mcp/functions/main/default' },
] as const;

/** What the pictures of the clients have found on this computer. */
const CLIENT_FOLDERS = ['.cursor', '.codex', '.config/Claude', '.config/Code/User'];

/** What has not every server. */
const SWITCHED_OFF = [
  ['main.support', 'OpenAI Codex'],
  ['main.default', 'OpenAI Codex'],
  ['New York taxi trips', 'VS Code'],
] as const;

const QUERY = `SELECT pickup_zip, count(*) AS trips, round(avg(fare_amount), 2) AS average_fare
FROM samples.nyctaxi.trips
GROUP BY pickup_zip
ORDER BY trips DESC
LIMIT 6`;

/** Walks through the screens; gives the names of the pictures. */
export async function photographScreens(application: RunningApplication, takePicture: TakePicture): Promise<string[]> {
  const { electron, home, env } = application;
  for (const folder of CLIENT_FOLDERS) await mkdir(join(home, folder), { recursive: true });
  const page = await application.window();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const go = (screen: string) =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen }).click();
  const names: string[] = [];
  const take = async (name: string) => {
    for (const scheme of ['light', 'dark'] as const) {
      await electron.evaluate(({ nativeTheme }, wanted) => {
        nativeTheme.themeSource = wanted;
      }, scheme);
      await page.locator(`[data-mantine-color-scheme="${scheme}"]`).waitFor({ state: 'attached' });
      await takePicture(page, `${name}-${scheme}`);
      names.push(`${name}-${scheme}`);
    }
  };

  const servers = await openServers(env);
  await servers.change(() => ({ servers: [...SERVERS] }));
  await button('Change warehouse').click();
  await page.getByRole('radio', { name: /^Shared analytics/ }).check();
  await button('Use this warehouse').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await button('Verify').click();
  await page.getByText('Passed', { exact: true }).nth(1).waitFor();
  await toastsGone(page);
  await take('warehouse');

  await go('AI clients');
  await button('Add to all…').click();
  await button('Add').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  for (const [server, client] of SWITCHED_OFF) {
    const toggle = page.getByRole('switch', { name: `${server} in ${client}` });
    await toggle.locator('xpath=..').click();
    await page.getByRole('switch', { name: `${server} in ${client}`, checked: false }).waitFor({ state: 'attached' });
  }
  await toastsGone(page);
  while (await button('Dismiss').count()) await button('Dismiss').first().click();
  await take('clients');

  const claude = await connect('claude-ai', SERVERS[0], env);
  const cursor = await connect('cursor-vscode', SERVERS[1], env);
  const query = (text: string) => claude.callTool({ name: 'execute_sql_read_only', arguments: { query: text } });
  await query('SHOW CATALOGS');
  await query(QUERY);
  const [asks] = (await cursor.listTools()).tools;
  await cursor.callTool({ name: asks?.name ?? '', arguments: { query: 'Which pick-up areas are the busiest?' } });
  await go('Activity');
  await page.getByRole('grid', { name: 'Calls' }).waitFor();
  await take('activity');
  await go('Servers');
  await take('servers');
  await Promise.all([claude, cursor].map((client) => client.close()));

  await page.getByRole('link', { name: 'databricks-sql', exact: true }).click();
  await button('Try execute_sql_read_only').click();
  await page.getByRole('textbox', { name: 'query' }).fill(QUERY);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog').getByText('6 rows').waitFor();
  await take('try');
  return names;
}

/** An AI client that connects as its entry says. */
async function connect(name: string, { path }: { path: string }, env: Record<string, string>): Promise<Client> {
  const client = new Client({ name, version: '1.0.0' });
  const args = [CLI, 'proxy', '--profile', 'ana', '--path', path];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  return client;
}

/** Waits until the messages of what has been done are gone again. */
async function toastsGone(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('.mantine-Notification-root') === null);
}
