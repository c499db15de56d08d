import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ProxyProcess } from '../integration/proxy/proxy-process.ts';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';
import { TrayOverDbus } from './tray-over-dbus.ts';

const reason = whyNotHere(process.env);
if (reason) console.warn(`The tests of calls that wait for the user are skipped. ${reason}`);

describe.skipIf(reason)('a call that waits for the user, in the application', () => {
  let application: RunningApplication;
  let client: ProxyProcess;
  afterEach(async () => {
    await client.close();
    await application.close();
  });

  it('is allowed and blocked in the tray if it only reads, and the window leads to it', async () => {
    application = await startApplication({
      prepare: async (home) => {
        await mkdir(join(home, '.config', 'causeway'), { recursive: true });
        const permissions = { version: 1, all: { newTools: 'ask' } };
        await writeFile(join(home, '.config', 'causeway', 'permissions.json'), JSON.stringify(permissions));
      },
    });
    const page = await application.window();
    await page.getByRole('button', { name: 'Change warehouse' }).waitFor();
    client = new ProxyProcess(['--path', '/api/2.0/mcp/sql'], application.env);
    const clientInfo = { name: 'claude-code', version: '1' };
    await client.request(0, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const call = (id: number, query: string, name = 'execute_sql') =>
      client.request(id, 'tools/call', { name, arguments: { query } });
    const tray = await TrayOverDbus.find();
    const labels = () => tray.labels();

    const question = 'Claude Code wants to use execute_sql_read_only';
    const allowed = call(1, 'SELECT 1', 'execute_sql_read_only');
    await page.getByRole('status').getByText('1 call needs approval').waitFor();
    await expect.poll(labels).toEqual(expect.arrayContaining([question, 'SELECT 1', 'Review…']));
    await tray.click('Allow once');
    expect((await allowed).result).toMatchObject({ content: expect.any(Array) });
    await expect.poll(labels).not.toContain('Allow once');
    await page.getByRole('status').getByText('1 call needs approval').waitFor({ state: 'detached' });

    const refused = call(2, 'DROP TABLE main.default.taxi');
    await expect.poll(labels).toContain('DROP TABLE main.default.taxi');
    expect(await labels()).not.toContain('Allow once');
    await tray.click('Block this call');
    expect(JSON.stringify((await refused).result)).toContain('The user refused this call');
  });
});
