import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach } from 'node:test';
import { CAUSEWAY, ProxyProcess } from '../integration/proxy/proxy-process.ts';

/** Wine is no Windows: what it cannot do is left out by name. */
export const UNDER_WINE = process.env.WINEPREFIX !== undefined;

/** A name as users have them: with spaces, letters beyond ASCII, and a character that `cmd` takes for its own. */
const USER = 'Zoë & Jürgen Müller';

/** What a variable of the one who runs the tests would change in them. */
const OTHERS = /^(CAUSEWAY|DATABRICKS|ARM|CLAUDE|CODEX|XDG|(HTTPS?|ALL|NO)_PROXY$)/i;

type Program = ChildProcessByStdio<Writable, Readable, Readable>;

/** A user of this computer, and what the test starts for them; all of it is gone after each test. */
export interface Stage {
  /** All of the test's files, with those of the user. */
  readonly folder: string;
  readonly home: string;
  /** `%APPDATA%`, which the organization has redirected. */
  readonly roaming: string;
  readonly local: string;
  readonly env: NodeJS.ProcessEnv;
  /** Writes a file, with the folders above it. */
  file(path: string, content: string | Buffer): Promise<string>;
  /** Starts Node with these arguments. */
  program(args: string[], env?: NodeJS.ProcessEnv): Program;
  /** Runs `causeway` to its end. */
  causeway(...args: string[]): Promise<Outcome>;
  /** Starts `causeway proxy`. */
  proxy(args: string[], env?: NodeJS.ProcessEnv): ProxyProcess;
  /** Ends something that the test has started; the last first. */
  atEnd(end: () => unknown): void;
}

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Sets the stage again for each test of a file. */
export function setStage(): Stage {
  let folder = '';
  let env: NodeJS.ProcessEnv = {};
  const ends: (() => unknown)[] = [];
  const at = (...parts: string[]) => join(folder, ...parts);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-windows-'));
    const rest = Object.entries(process.env).filter(([name]) => !OTHERS.test(name));
    env = {
      ...Object.fromEntries(rest),
      HOME: stage.home,
      USERPROFILE: stage.home,
      APPDATA: stage.roaming,
      LOCALAPPDATA: stage.local,
      // Other users read there: a test must not leave anything of its own.
      ProgramData: at('ProgramData'),
      CAUSEWAY_TOKEN_STORE: 'encrypted-file',
    };
    for (const each of [stage.home, stage.roaming, stage.local, at('ProgramData')])
      await mkdir(each, { recursive: true });
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  const stage: Stage = {
    get folder() {
      return folder;
    },
    get home() {
      return at('Users', USER);
    },
    get roaming() {
      return at('Redirected', USER, 'Roaming');
    },
    get local() {
      return at('Users', USER, 'AppData', 'Local');
    },
    get env() {
      return env;
    },
    file: async (path, content) => {
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, content);
      return path;
    },
    program: (args, own = env) => {
      const child = spawn(process.execPath, args, { env: own, stdio: ['pipe', 'pipe', 'pipe'] });
      child.stderr.resume();
      child.stdin.on('error', () => {});
      ends.push(() => kill(child));
      return child;
    },
    causeway: async (...args) => {
      const child = stage.program([CAUSEWAY, ...args]);
      const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
      child.stdin.end();
      const [code] = await once(child, 'close');
      return { code, stdout: stdout(), stderr: stderr() };
    },
    proxy: (args, own = env) => {
      const proxy = new ProxyProcess(args, own);
      ends.push(() => proxy.close());
      return proxy;
    },
    atEnd: (end) => void ends.push(end),
  };
  return stage;
}

/** Ends a process as the Task Manager does, and waits until it has. */
export async function kill(child: ReturnType<typeof spawn>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.stdout?.resume();
  child.kill('SIGKILL');
  await closed;
}

function textOf(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}
