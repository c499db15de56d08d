import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { show, showOutput } from './transcript.ts';

const run = promisify(execFile);

/** By this comment an account is known as one of ours. */
const COMMENT = 'Made by a test';
/** Every program of a desktop puts its own into these (XDG Base Directory Specification): they are not one program's to remove. */
const FOLDERS = ['.cache', '.config', '.config/autostart', '.local', '.local/share', '.local/state'];
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** An ordinary user of this computer, made for a test. */
export class Account {
  static readonly NAME = 'install-test';
  readonly name = Account.NAME;
  readonly home = `/home/${Account.NAME}`;
  readonly uid: number;
  /** What logging in has put into the environment. */
  readonly #session = new Map<string, string>();
  #computer: readonly string[] = [];

  private constructor(uid: number) {
    this.uid = uid;
  }

  static create(): Account {
    execFileSync('useradd', ['--create-home', '--shell', '/bin/bash', '--comment', COMMENT, Account.NAME]);
    const account = new Account(Number(execFileSync('id', ['-u', Account.NAME], { encoding: 'utf8' })));
    execFileSync('install', [
      '-d',
      '-o',
      Account.NAME,
      '-g',
      Account.NAME,
      ...FOLDERS.map((name) => join(account.home, name)),
    ]);
    return account;
  }

  /** Whether an earlier test has left its account, and with it, maybe, the package. */
  static isLeft(): boolean {
    try {
      return execFileSync('getent', ['passwd', Account.NAME], { encoding: 'utf8' }).includes(`:${COMMENT}:`);
    } catch {
      return false;
    }
  }

  /** Ends what still runs as the account, and removes it with its home folder. */
  static remove(): void {
    if (!Account.isLeft()) return;
    const uid = Number(execFileSync('id', ['-u', Account.NAME], { encoding: 'utf8' }));
    for (const pid of processesOf(uid)) endAtOnce(pid);
    execFileSync('userdel', ['--force', '--remove', Account.NAME], { stdio: 'ignore' });
    rmSync(runtimeFolder(uid), { recursive: true, force: true });
  }

  /** The folder of its session, where the system puts it for whoever logs in. */
  get runtime(): string {
    return runtimeFolder(this.uid);
  }

  setSession(variables: Record<string, string>): void {
    this.#session.clear();
    for (const [name, value] of Object.entries(variables)) this.#session.set(name, value);
  }

  /** Where its commands run from now on: what comes before a command to run it there. */
  enter(computer: readonly string[]): void {
    this.#computer = computer;
  }

  /** What comes before a command to run it as this user, with nothing of this process's environment. */
  get prefix(): string[] {
    const { name, home } = this;
    const own = { HOME: home, USER: name, LOGNAME: name, SHELL: '/bin/bash', PATH: '/usr/local/bin:/usr/bin:/bin' };
    const variables = [...Object.entries({ ...own, LANG: 'C.UTF-8' }), ...this.#session];
    return [
      ...this.#computer,
      'runuser',
      '-u',
      name,
      '--',
      'env',
      '-i',
      '-C',
      home,
      ...variables.map((pair) => pair.join('=')),
    ];
  }

  /** Runs a line of a shell as the user, and shows it with what it prints. @returns what it has printed */
  async types(line: string): Promise<string> {
    show(`$ ${line}`);
    const output = await this.run('bash', '-c', line);
    showOutput(output);
    return output;
  }

  /** @throws where it fails, or has not ended after a minute */
  async run(...command: string[]): Promise<string> {
    const [program = '', ...args] = [...this.prefix, ...command];
    const { stdout } = await run(program, args, { maxBuffer: MAX_OUTPUT_BYTES, timeout: 60_000 });
    return stdout;
  }

  /** Starts what goes on running. */
  start(...command: string[]): ChildProcess {
    const [program = '', ...args] = [...this.prefix, ...command];
    return spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  }

  /** Makes what root has put into the home folder the user's own. */
  async giveHome(): Promise<void> {
    await run('chown', ['--recursive', `${this.uid}:${this.uid}`, this.home]);
  }

  /** The processes of this user. */
  processes(): number[] {
    return processesOf(this.uid);
  }
}

function runtimeFolder(uid: number): string {
  return `/run/user/${uid}`;
}

function processesOf(uid: number): number[] {
  const isTheirs = (pid: number) => {
    try {
      return statSync(`/proc/${pid}`).uid === uid;
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').map(Number).filter(Boolean).filter(isTheirs);
}

function endAtOnce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
