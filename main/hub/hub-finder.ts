import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerRequest } from '../bridge/endpoint.ts';
import { monotonicMs } from '../platform/clock.ts';
import { signInContext } from '../platform/paths.ts';
import { attach, type HubConnection } from './attach.ts';
import { hubFolder, lookUpHub, type Rendezvous } from './rendezvous.ts';

/** When to look for the application again after it has gone, in milliseconds; then the proxy continues alone. */
const REATTACH_AFTER_MS = [50, 200, 500];

/** More connections than this that end within the time, in milliseconds, are not replaced: something is wrong with the hub. */
const MAX_LOSSES = 5;
const LOSSES_WITHIN_MS = 10_000;

/** The most attempts to skip for a hub that could not be attached to. */
const MAX_PASSES = 15;

/** Finds the running application's hub. */
export class HubFinder {
  readonly #request: ServerRequest;
  /** The address at which the last attempt has failed. */
  #failedAt: string | undefined;
  /** How many attempts skip that address, and how many of them remain. */
  #passes = 0;
  #passesLeft = 0;
  /** When connections to a hub have ended, on the clock of `monotonicMs`. */
  #losses: number[] = [];
  #isReported = false;

  /** Whether this process works alone because the application cannot sign in the way this process can. */
  readonly #isOwn: boolean;

  constructor({ profile, path, origin, caller }: ServerRequest, isOwn: boolean) {
    this.#request = { profile, path, origin, caller };
    this.#isOwn = isOwn;
  }

  /** Undefined if there is no hub, or it does not serve this proxy. */
  async attach(): Promise<HubConnection | undefined> {
    const rendezvous = this.#lookUp();
    return rendezvous && this.#attachTo(rendezvous);
  }

  /** Like `attach`, for a hub that was just lost and may be back in a moment. */
  async attachSoon(): Promise<HubConnection | undefined> {
    const now = monotonicMs();
    this.#losses = [...this.#losses.filter((at) => now - at < LOSSES_WITHIN_MS), now];
    if (this.#losses.length > MAX_LOSSES) {
      this.#passesLeft = MAX_PASSES;
      return undefined;
    }
    for (const wait of REATTACH_AFTER_MS) {
      await sleep(wait);
      const connection = await this.attach();
      if (connection) return connection;
    }
    return undefined;
  }

  /** Like `attach`, for periodic attempts: a hub that refused is skipped longer each time. */
  async rejoin(): Promise<HubConnection | undefined> {
    const rendezvous = this.#lookUp();
    if (!rendezvous) return undefined;
    if (this.#passesLeft > 0 && (rendezvous.address === this.#failedAt || this.#losses.length > MAX_LOSSES)) {
      this.#passesLeft -= 1;
      return undefined;
    }
    return this.#attachTo(rendezvous);
  }

  async #attachTo(rendezvous: Rendezvous): Promise<HubConnection | undefined> {
    const attachment = await attach(rendezvous, this.#request);
    if (attachment.kind === 'attached') {
      this.#failedAt = undefined;
      this.#passes = 0;
      return attachment.connection;
    }
    if (attachment.kind === 'impostor') this.#tell(`the program that listens at ${rendezvous.address} is not Causeway`);
    if (rendezvous.address !== this.#failedAt) this.#passes = 0;
    this.#failedAt = rendezvous.address;
    this.#passes = Math.min(MAX_PASSES, this.#passes * 2 + 1);
    this.#passesLeft = this.#passes;
    return undefined;
  }

  #lookUp(): Rendezvous | undefined {
    if (this.#isOwn) return undefined;
    const found = lookUpHub(hubFolder(process.env));
    if (found.kind === 'untrusted') this.#tell(found.why);
    if (found.kind !== 'found') return undefined;
    const { context = signInContext(process.env) } = found.rendezvous;
    if (context === signInContext(process.env)) return found.rendezvous;
    this.#tell('it has another configuration file or token store');
    return undefined;
  }

  #tell(why: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const words = `Not using the running application: ${why}. This proxy works on its own.`;
    process.stderr.write(`causeway proxy: ${words}\n`);
  }
}
