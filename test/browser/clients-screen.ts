import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { useWindow } from './shown-window.ts';

export const SQL = { name: 'databricks-sql', profile: 'ana', kind: 'sql', path: '/api/2.0/mcp/sql' };
export const GENIE = { name: 'genie-7191', profile: 'ana', kind: 'genie', path: '/api/2.0/mcp/genie/7191' };
export const CURSOR = '.cursor/mcp.json';
export const CLAUDE = '.config/Claude/claude_desktop_config.json';
export const THEIRS = '{\n  // mine\n  "mcpServers": {\n    "files": { "command": "npx" }\n  }\n}\n';

/** The window for tests of the AI clients screen. */
export function useClientsScreen() {
  const window = useWindow();
  const { shown, button } = window;

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
  return {
    ...window,
    file,
    read,
    haveServers,
    entries,
    client,
    dialog,
    turn,
    isOn,
    startClaude,
    knownToFail,
    openBackups,
    closed,
  };
}
