import { expect, test } from 'vitest';
import { startWorkspace } from '../../workspace/workspace.ts';
import { ownHome } from '../auth/own-home.ts';
import { runCommand } from '../warehouses/harness.ts';

test('causeway status shows servers, clients and warehouse at once, and what could not be found out', async () => {
  const workspace = await startWorkspace();
  const config = `[ana]\nhost = ${workspace.host}\ntoken = ${workspace.users[0]?.token}\n\n[gone]\nhost = ${workspace.host}\ntoken = x\n`;
  const home = await ownHome(config);
  try {
    await runCommand(home.env, ['servers', 'add', 'sql', '--profile', 'ana', '--name', 'good']);
    await runCommand(home.env, ['servers', 'add', 'sql', '--profile', 'gone', '--name', 'bad']);
    const { code, stdout } = await runCommand(home.env, ['status', '--profile', 'ana', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      application: { running: false, pid: null },
      servers: [
        { name: 'good', state: 'ready' },
        { name: 'bad', state: 'signed-out', remedy: expect.any(String) },
      ],
      clients: [],
      warehouse: { profile: 'ana', warehouse: { id: expect.any(String) } },
    });
    const shown = await runCommand(home.env, ['status', '--profile', 'gone']);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/not running.*Servers\n {2}good \(ana\): .*\n {2}bad \(gone\): .*Warehouse\n {2}/s);
    expect(shown.stdout).toContain('refuses the personal access token');
  } finally {
    await workspace.close();
    await home.remove();
  }
});
