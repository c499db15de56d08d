import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pageAt, scriptedBrowser } from '../integration/auth/scripted-browser.ts';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';
import { takePicture } from './screen.ts';
import { TrayOverDbus } from './tray-over-dbus.ts';

const reason = whyNotHere(process.env);

const Configuration = z.object({
  mcpServers: z.record(z.string(), z.object({ command: z.string(), args: z.array(z.string()) })),
});

describe.skipIf(reason)('the first run of the application', () => {
  let application: RunningApplication;

  beforeAll(async () => {
    application = await startApplication({ fresh: true });
    await mkdir(join(application.home, '.cursor'));
  });
  afterAll(() => application?.close());

  it('leads from nothing to an entry in a client’s file, which a real MCP client uses', async () => {
    const { electron, workspace, home, env } = application;
    const page = await application.window();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const currentStep = (words: string) => page.locator('[aria-current="step"]').filter({ hasText: words }).waitFor();
    // The user's browser is a scripted one: what it is to open is kept.
    await electron.evaluate(({ shell }) => {
      shell.openExternal = async (address) => {
        Object.assign(globalThis, { openedInBrowser: address });
      };
    });
    const opened = () => electron.evaluate(() => String(Reflect.get(globalThis, 'openedInBrowser') ?? ''));

    await currentStep('Workspace');
    await takePicture('first-run-workspace');
    await page.getByRole('textbox', { name: 'Workspace URL' }).fill(workspace.host);
    await page.getByRole('textbox', { name: 'Name' }).fill('work');
    await button('Continue').click();

    await currentStep('Sign in');
    await expect.poll(async () => pageAt(await opened())).toContain(workspace.host);
    // A browser is in front of the window, which comes back when the user has signed in.
    const isFocused = () => electron.evaluate(({ BrowserWindow }) => BrowserWindow.getFocusedWindow() !== null);
    await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.blur());
    await expect.poll(isFocused).toBe(false);
    workspace.approve({ as: 'ana@example.com' });
    await scriptedBrowser().open(await opened());

    await currentStep('Servers');
    await expect.poll(isFocused).toBe(true);
    await takePicture('first-run-servers');
    await button('Add 1 server').click();
    const tray = await TrayOverDbus.find();
    await expect.poll(() => tray.labels()).toContain('databricks-sql — running, 3 tools');

    await currentStep('AI clients');
    await takePicture('first-run-clients');
    await button('Add to 1 client').click();
    await page.getByText('Restart Cursor').waitFor();
    await takePicture('first-run-done');
    await electron.evaluate(({ app }) => {
      app.getApplicationNameForProtocol = () => '';
    });
    await button('Open Cursor').click();
    await page.getByText('No program on this computer opens this link.').waitFor();

    const { mcpServers } = Configuration.parse(JSON.parse(await readFile(join(home, '.cursor/mcp.json'), 'utf8')));
    const entry = mcpServers['databricks-sql'];
    const client = new Client({ name: 'somebody-else', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: entry?.command ?? '', args: entry?.args ?? [], env }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['execute_sql', 'execute_sql_read_only', 'poll_sql_result']);
    await expect.poll(() => tray.labels()).toContain('databricks-sql — running, 3 tools, 1 session');
    await client.close();
    await expect.poll(() => tray.labels()).toContain('databricks-sql — running, 3 tools');

    await button('Open Causeway').click();
    await tray.click('databricks-sql — running, 3 tools');
    await page.getByRole('heading', { level: 1, name: 'databricks-sql' }).waitFor();
    await page.getByRole('button', { name: 'Try execute_sql_read_only' }).waitFor();
    await takePicture('first-run-server');
  }, 240_000);
});
