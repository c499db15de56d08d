import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { TrayOverDbus } from '../desktop/tray-over-dbus.ts';
import { scriptedBrowser } from '../integration/auth/scripted-browser.ts';
import type { EmbeddedWorkspace } from '../workspace/workspace.ts';
import type { Account } from './account.ts';
import type { Entry } from './ai-client.ts';
import { show } from './transcript.ts';

/** How long something may take on a computer that has other things to do. */
export const SOON = { timeout: 60_000, interval: 50 };

/** Waits for the icon in the tray of the user's session. */
export async function findTray(account: Account): Promise<TrayOverDbus> {
  const find = () => TrayOverDbus.findOn(account.prefix);
  await expect.poll(find, SOON).toBeDefined();
  return find();
}

/** Signs in as a user does, in a browser that consents. `command` is what the user types for `causeway`. */
export async function signIn(account: Account, command: string, { host }: EmbeddedWorkspace): Promise<void> {
  show(`$ causeway login --host ${host} --no-browser`);
  const login = account.start(command, 'login', '--host', host, '--no-browser');
  if (!login.stdout || !login.stderr) throw new Error('Its output is not read.');
  const ended = once(login, 'exit');
  const output = text(login.stdout);
  let told = '';
  for await (const chunk of login.stderr.setEncoding('utf8')) {
    told += String(chunk);
    const [address] = /http:\S+authorize\S+(?=\s)/.exec(told) ?? [];
    if (address === undefined) continue;
    told = '';
    void scriptedBrowser().open(address);
  }
  expect(await ended).toEqual([0, null]);
  expect(await output).toContain(`Signed in to ${host} as ana@example.com`);
  show(`  ${(await output).trim()}`);
}

/** What is in Cursor's file before: an entry of somebody else's. */
export const OTHER_ENTRY = `{
  "mcpServers": {
    "other": { "command": "/usr/bin/true" }
  }
}
`;

export function cursorFile(account: Account): string {
  return join(account.home, '.cursor', 'mcp.json');
}

export async function writeCursorFile(account: Account): Promise<void> {
  await mkdir(dirname(cursorFile(account)));
  await writeFile(cursorFile(account), OTHER_ENTRY);
  await account.giveHome();
}

/** The entry for the SQL server in Cursor's file. */
export async function entryOfCursor(account: Account): Promise<Entry> {
  const { mcpServers } = JSON.parse(await readFile(cursorFile(account), 'utf8'));
  return mcpServers['databricks-sql'];
}

/** The file that a process runs, with ` (deleted)` behind it where that has been replaced. */
export function programOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return '';
  }
}

/** The process that has started it; 0 where it has ended. */
export function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Its arguments with spaces between: Chromium's processes write theirs so. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
