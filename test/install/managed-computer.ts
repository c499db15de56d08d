import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmdirSync } from 'node:fs';

const FOLDER = '/etc/causeway';

/** Puts a file system of its own over the policy's folder, for the processes below this one, and waits. */
const HOLD = `set -e
mount -t tmpfs -o mode=755 causeway-test ${FOLDER}
umask 022
cat >${FOLDER}/policy.json
echo ready
exec sleep infinity`;

/**
 * A computer on which an administrator has put a policy into `/etc/causeway/policy.json`, for those who are in this mount
 * namespace: whatever else runs here is not bound by it.
 */
export class ManagedComputer {
  readonly #holder: ChildProcess;

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  static async start(policy: object): Promise<ManagedComputer> {
    mkdirSync(FOLDER, { recursive: true });
    const how = ['--mount', '--propagation', 'private', 'sh', '-c', HOLD];
    const holder = spawn('unshare', how, { stdio: ['pipe', 'pipe', 'inherit'] });
    const isReady = Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')]);
    holder.stdin.end(JSON.stringify({ version: 1, ...policy }, undefined, 2));
    await isReady;
    if (holder.exitCode !== null) throw new Error('The policy could not be put in place.');
    return new ManagedComputer(holder);
  }

  /** What comes before a command to run it on this computer. */
  get prefix(): string[] {
    return ['nsenter', '--mount', '--target', String(this.#holder.pid), '--'];
  }

  /** The policy as it is there now. */
  policy(): string {
    const [program = '', ...args] = [...this.prefix, 'cat', `${FOLDER}/policy.json`];
    return execFileSync(program, args, { encoding: 'utf8' });
  }

  async end(): Promise<void> {
    const ended = once(this.#holder, 'exit');
    this.#holder.kill('SIGKILL');
    await ended;
    rmdirSync(FOLDER);
  }
}
