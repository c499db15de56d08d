import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkAnswer } from '../../answers.ts';
import type { OwnHome } from './own-home.ts';

/** The command as it is built: `npm run build:cli` comes before. */
const CAUSEWAY = fileURLToPath(new URL('../../../out/cli/causeway.js', import.meta.url));
const BROWSER = fileURLToPath(new URL('fake-browser.ts', import.meta.url));

/** What a `causeway` process has printed so far, and how it ended. */
export interface CausewayProcess {
  child: ChildProcessWithoutNullStreams;
  stdout: () => string;
  stderr: () => string;
  /** The exit code. */
  ended: Promise<number | null>;
}

/** Runs `causeway` as a user or an AI client would, in that home. */
export function startCauseway(home: OwnHome, args: string[]): CausewayProcess {
  const child = spawn(process.execPath, [CAUSEWAY, ...args], { env: home.env });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

/** A whole `causeway` command. */
export async function runCauseway(home: OwnHome, args: string[], input = '') {
  const running = startCauseway(home, args);
  running.child.stdin.end(input);
  const code = await running.ended;
  const run = { code, stdout: running.stdout(), stderr: running.stderr() };
  checkAnswer(args, run);
  return run;
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

/** Starts `causeway proxy` as an AI client would and gives its answer to `initialize`, and the tools that it has then. */
export async function initializeThroughProxy(home: OwnHome, profile: string) {
  const proxy = startCauseway(home, ['proxy', '--profile', profile, '--path', '/api/2.0/mcp/sql']);
  for (const frame of [INITIALIZE, { jsonrpc: '2.0', method: 'notifications/initialized' }, LIST]) {
    proxy.child.stdin.write(`${JSON.stringify(frame)}\n`);
  }
  const answers = new Promise<Record<string, unknown>[]>((resolve, reject) => {
    proxy.child.stdout.on('data', () => {
      const [line, list, rest] = proxy.stdout().split('\n');
      if (line !== undefined && list !== undefined && rest !== undefined) resolve([JSON.parse(line), JSON.parse(list)]);
    });
    void proxy.ended.then((code) => reject(new Error(`proxy ended with ${code}: ${proxy.stderr()}`)));
  });
  const [frame = {}, tools = {}] = await answers;
  proxy.child.stdin.end();
  return { frame, tools, code: await proxy.ended, stderr: proxy.stderr() };
}

export interface InstalledBrowser {
  /** Addresses that it was asked to open. */
  opened(): Promise<string[]>;
  /** Addresses at which it came out, codes included. */
  arrived(): Promise<string[]>;
}

/** Installs a system browser in that home that allows whatever it is asked. */
export async function installBrowser(home: OwnHome): Promise<InstalledBrowser> {
  await installOpener(home, `"${process.execPath}" "${BROWSER}" "${home.notes}" "$1" >/dev/null 2>&1 &`);
  return { opened: () => notesOf(home, 'opened'), arrived: () => notesOf(home, 'arrived') };
}

/** Installs a system browser in that home that shows what it is asked to open, until the test acts for the user. */
export async function installWaitingBrowser(home: OwnHome): Promise<Pick<InstalledBrowser, 'opened'>> {
  await installOpener(home, `echo "$1" >> "${home.notes}/opened"`);
  return { opened: () => notesOf(home, 'opened') };
}

async function installOpener(home: OwnHome, script: string): Promise<void> {
  const folder = join(home.folder, 'bin');
  await mkdir(folder);
  await writeFile(join(folder, 'xdg-open'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'xdg-open'), 0o755);
  home.env.PATH = `${folder}:${home.env.PATH}`;
}

/** What the programs of that home have noted under that name, line by line. */
export async function notesOf(home: OwnHome, name: string): Promise<string[]> {
  const text = await readFile(join(home.notes, name), 'utf8').catch(() => '');
  return text.trim().split('\n').filter(Boolean);
}
