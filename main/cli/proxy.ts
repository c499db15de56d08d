import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bridge } from '../bridge/bridge.ts';
import type { ServerRequest } from '../bridge/endpoint.ts';
import { StreamSink, serveStdio } from '../bridge/stdio.ts';
import { guarded, refuseFrame } from '../hub/boundary.ts';
import { Relay } from '../hub/relay.ts';
import { hubFolder, lookUpHub, type Rendezvous } from '../hub/rendezvous.ts';
import { attach, type HubConnection } from '../hub/transport.ts';
import { CausewayError, inOneLine } from '../platform/errors.ts';
import { explainUnexpected } from '../platform/file-errors.ts';
import { tuneEngine } from './engine.ts';
import { completedBy, PROXY_HELP, type ProxyRequest, parseProxyArguments } from './proxy-arguments.ts';

/** When to look for the application again after it has gone, in milliseconds; then the proxy goes on alone. */
const REATTACH_AFTER_MS = [50, 200, 500];

/** More connections than this that end within the time, in milliseconds, are not replaced: something is wrong with the hub. */
const MAX_LOSSES = 5;
const LOSSES_WITHIN_MS = 10_000;

/** When the process reads the rest of its own code into memory, in milliseconds after its start: its first answers are out by then. */
const KEEP_AFTER_MS = 1_500;

/** For how many looks a hub that could not be attached to is left alone, at most. */
const MAX_PASSES = 15;

/** Told who starts it by hand, and would wait for something to happen. */
const AT_A_TERMINAL =
  'Waiting for an AI client on stdin. Clients start this command themselves: "causeway clients add" sets them up. Ctrl+C ends it.';

/**
 * `causeway proxy`: what AI clients spawn, once for each server. Exits 0 when the client is done; 2, with one line on
 * stderr, when it was called wrongly. Nothing but frames ever goes to stdout.
 */
export async function runProxy(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(PROXY_HELP);
    return;
  }
  let request: ProxyRequest;
  let isOwn: boolean;
  try {
    ({ request, isOwn } = completedBy(process.env, parseProxyArguments(args)));
  } catch (error) {
    return calledWrongly(error);
  }
  if (process.stdin.isTTY) process.stderr.write(`causeway proxy: ${AT_A_TERMINAL}\n`);
  const sink = new StreamSink(process.stdout);
  const hub = new HubFinder(request, isOwn);
  const connecting = hub.attach();
  // Not before the first frames are on their way: nothing is compiled twice so early.
  void connecting.then((connection) => connection && setImmediate(() => void tuneEngine('relay')));
  const relay = new Relay(connecting, sink, {
    reattach: () => hub.attachSoon(),
    alone: async (client) => (await prepareAlone(request))(client),
    rejoin: () => hub.rejoin(),
    stopgap: async (frame) => (await import('./stopgap.ts')).stopgap(request, process.env, frame),
  });
  relay.opened.catch(calledWrongly);
  // What may be needed later is kept before it can vanish, when nobody waits for this process.
  setTimeout(() => void import('./kept-chunks.ts').then(keepAll).catch(() => {}), KEEP_AFTER_MS).unref();
  const complain = (error: unknown) => process.stderr.write(`causeway proxy: ${inOneLine(error)}\n`);
  const survive = (error: unknown) => {
    complain(error);
    relay.failed(error);
  };
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
  const safe = guarded(relay, (error, frame) => {
    complain(error);
    if (frame) refuseFrame(frame, error, sink);
  });
  await serveStdio(request.meta ? await preset(safe, request.meta) : safe, sink);
  // What may still be open (a connection on its way down, a timer) must not outlive the client.
  process.exit(0);
}

async function preset(bridge: Bridge, meta: Record<string, string>): Promise<Bridge> {
  const { withMetaPresets } = await import('../bridge/meta-presets.ts');
  return withMetaPresets(bridge, meta);
}

function keepAll({ preloadChunks }: typeof import('./kept-chunks.ts')): void {
  preloadChunks(fileURLToPath(import.meta.url));
}

function calledWrongly(error: unknown): void {
  process.stderr.write(`causeway proxy: ${inOneLine(explainUnexpected(error))}\n`);
  // Its own code could not be read, for want of files say: nobody called it wrongly.
  process.exit(error instanceof CausewayError ? 2 : 1);
}

/** Finds the running application's hub, whenever it is there. */
class HubFinder {
  readonly #request: ServerRequest;
  /** The address at which the last attempt has failed. */
  #failedAt: string | undefined;
  /** How many looks that address is left alone for, and how many of them are still to come. */
  #passes = 0;
  #passesLeft = 0;
  /** When connections to a hub have ended, on the clock of `performance`. */
  #losses: number[] = [];
  #told = false;

  /** Whether this process works alone, because the application could not sign in as it can. */
  readonly #isOwn: boolean;

  constructor({ profile, path, origin }: ProxyRequest, isOwn: boolean) {
    this.#request = { profile, path, origin };
    this.#isOwn = isOwn;
  }

  /** Undefined where there is no hub, or it does not serve this proxy. */
  async attach(): Promise<HubConnection | undefined> {
    const rendezvous = this.#lookUp();
    return rendezvous && this.#attachTo(rendezvous);
  }

  /** As `attach`, for when the hub has just gone and may be back in a moment. */
  async attachSoon(): Promise<HubConnection | undefined> {
    const now = performance.now();
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

  /** As `attach`, for looking again and again: a hub that has refused is left alone for longer each time. */
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
    if (attachment.kind === 'impostor') this.#tell(`what listens at ${rendezvous.address} is not Causeway`);
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
    return found.kind === 'found' ? found.rendezvous : undefined;
  }

  #tell(why: string): void {
    if (this.#told) return;
    this.#told = true;
    const words = `The running application is not used: ${why}. This proxy works alone.`;
    process.stderr.write(`causeway proxy: ${words}\n`);
  }
}

async function prepareAlone(request: ProxyRequest) {
  const alone = await import('./alone.ts');
  return alone.prepareAlone(request, process.env);
}
