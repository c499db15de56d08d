import { once } from 'node:events';
import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrameSink } from '../bridge/back-pressure.ts';
import type { AttemptObserver, ServerRequest } from '../bridge/endpoint.ts';
import type { Bridge } from '../bridge/layers.ts';
import { behind, towardClient } from '../bridge/layers.ts';
import { readFrames, StreamSink } from '../bridge/stdio.ts';
import { CausewayError } from '../platform/errors.ts';
import { fileError } from '../platform/file-errors.ts';
import type { ProxyLookup } from '../platform/system-proxies.ts';
import { VERSION } from '../platform/version.ts';
import { inOneLine } from '../words/failure.ts';
import { type ApprovalPort, answerAboutApprovals } from './approval-answers.ts';
import { isHubAlive } from './attach.ts';
import { guarded, refuseFrame } from './boundary.ts';
import { prepareRendezvous, publishRendezvous, withdrawRendezvous } from './publish.ts';
import { recording } from './recorder.ts';
import { type Rendezvous, readRendezvous } from './rendezvous.ts';
import { type HubWatcher, SessionLog } from './session-log.ts';
import type { HubSession } from './session-record.ts';
import { asSession } from './session-scope.ts';
import { answerAboutSettings, type SettingsPort } from './settings-answers.ts';
import {
  type CallsAnswer,
  type Challenge,
  type EntryRequest,
  firstLine,
  freshNonce,
  HELLO_MS,
  HUB_PROTOCOL,
  type HubQuestion,
  isProof,
  MAX_LINE_BYTES,
  NEXT_LINE_MS,
  type ProxiesAnswer,
  proofOf,
  type QuitAnswer,
  type SessionsAnswer,
  type Transcript,
  type Welcome,
} from './wire.ts';
import { readEntry, readHello, readQuestion } from './wire-schemas.ts';

/** How long to wait for answers in flight after a proxy has closed its end, in milliseconds. */
const FINISH_MS = 8_000;
/** How often a proxy that has closed its end is probed, in milliseconds. */
const PROBE_MS = 250;

/** After this many frames of one client have caused an exception in Causeway, its session is ended. */
const MAX_FAULTS = 10;

export interface HubOptions {
  folder: string;
  /** Tells where the system keeps sockets; this process's own environment if left out. */
  env?: NodeJS.ProcessEnv;
  /** Builds the bridge for a proxy. Where it throws, the proxy works alone and reports the same error itself. */
  serve(request: ServerRequest, sink: FrameSink, attempts: AttemptObserver): Promise<Bridge>;
  watcher?: HubWatcher;
  /** The calls that wait for the user. Where it is left out, none do. */
  approvals?: ApprovalPort | undefined;
  /** The user's settings. Where it is left out, commands cannot change them. */
  settings?: SettingsPort | undefined;
  /** Ends the application for good, because it is being uninstalled. Where it is left out, nobody can ask for that. */
  onQuit?: (() => void) | undefined;
  /** The proxies in the desktop's settings, for processes that cannot ask the desktop. */
  systemProxies?: ProxyLookup | undefined;
}

/** The running application's side of the private socket. */
export interface Hub {
  sessions(): HubSession[];
  /**
   * Accepts no new proxies, and closes once the attached ones have their answers, at most `graceMs` later. A proxy answers
   * by itself what is outstanding then.
   */
  finish(graceMs: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts listening, and publishes the address. Replaces the files of a hub that was killed.
 * @throws {CausewayError} `hub_running` when another hub of this user is alive, `hub_foreign`, `file_not_writable`
 */
export async function startHub(options: HubOptions): Promise<Hub> {
  const { folder } = options;
  const earlier = readRendezvous(folder);
  if (earlier) {
    if (await isHubAlive(earlier))
      throw new CausewayError('hub_running', `Causeway is already running (process ${earlier.pid}).`);
    await withdrawRendezvous(folder, earlier);
  }
  const rendezvous = await prepareRendezvous(folder, options.env);
  const hub = new PrivateHub(options, rendezvous);
  await hub.listen();
  try {
    await publishRendezvous(folder, rendezvous);
  } catch (error) {
    await hub.close();
    throw error;
  }
  return hub;
}

class PrivateHub implements Hub {
  readonly #options: HubOptions;
  readonly #rendezvous: Rendezvous;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Each resolves when its proxy has disconnected and its session is ended. */
  readonly #served = new Set<Promise<void>>();
  readonly #sessionLog: SessionLog;

  constructor(options: HubOptions, rendezvous: Rendezvous) {
    this.#options = options;
    this.#rendezvous = rendezvous;
    this.#sessionLog = new SessionLog(options.watcher ?? {});
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#receive(socket));
  }

  async listen(): Promise<void> {
    // The pipe of Windows can have no other access list than the system's own, which lets others read but not write.
    const { address } = this.#rendezvous;
    try {
      this.#server.listen({ path: address, readableAll: false, writableAll: false });
      await once(this.#server, 'listening');
      if (process.platform !== 'win32') await chmod(address, 0o600);
    } catch (error) {
      throw fileError(address, error);
    }
    // Where no more files can be opened, a proxy that is not accepted works alone and looks for the hub again.
    this.#server.on('error', (error) => console.warn('A proxy could not connect:', inOneLine(error)));
  }

  sessions(): HubSession[] {
    return this.#sessionLog.sessions();
  }

  async finish(graceMs: number): Promise<void> {
    await withdrawRendezvous(this.#options.folder, this.#rendezvous);
    const grace = new AbortController();
    const answered = this.#sessionLog.settled().then(() => Promise.all(Array.from(this.#sockets, written)));
    await Promise.race([answered, sleep(graceMs, undefined, { signal: grace.signal })]);
    grace.abort();
    await this.close();
  }

  async close(): Promise<void> {
    await withdrawRendezvous(this.#options.folder, this.#rendezvous);
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([closed, ...this.#served]);
  }

  #receive(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // A peer that disconnects mid-write is not an error here; 'close' follows.
    socket.on('error', () => {});
    let tooSlow = setTimeout(() => socket.destroy(), HELLO_MS);
    socket.on('close', () => clearTimeout(tooSlow));
    const hubNonce = freshNonce();
    let transcript: Transcript | undefined;
    let received: Buffer = Buffer.alloc(0);
    const listen = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (let first = firstLine(received); first; first = firstLine(received)) {
        received = first.rest;
        if (!transcript) {
          const hello = readHello(first.line);
          if (!hello) return void socket.destroy();
          clearTimeout(tooSlow);
          tooSlow = setTimeout(() => socket.destroy(), NEXT_LINE_MS);
          transcript = { address: this.#rendezvous.address, proxyNonce: hello.nonce, hubNonce };
          socket.write(this.#challenge(transcript));
          continue;
        }
        clearTimeout(tooSlow);
        socket.off('data', listen);
        socket.pause();
        const entry = readEntry(first.line) ?? readQuestion(first.line);
        const isOurs = entry && isProof(entry.proof, proofOf('proxy', this.#rendezvous.secret, transcript));
        if (!isOurs) socket.destroy();
        else if ('question' in entry) void this.#answer(socket, entry);
        else this.#enter(socket, entry, first.rest);
        return;
      }
      if (received.length > MAX_LINE_BYTES) socket.destroy();
    };
    socket.on('data', listen);
  }

  #challenge(transcript: Transcript): string {
    const proof = proofOf('hub', this.#rendezvous.secret, transcript);
    return `${JSON.stringify({ hub: HUB_PROTOCOL, nonce: transcript.hubNonce, proof } satisfies Challenge)}\n`;
  }

  /** Answers a question and closes, even if the peer does not read the answer. */
  async #answer(socket: Socket, question: HubQuestion): Promise<void> {
    const answer = await this.#answerTo(question);
    socket.end(`${JSON.stringify(answer)}\n`);
    if (question.question === 'quit') this.#options.onQuit?.();
    socket.resume();
    setTimeout(() => socket.destroy(), HELLO_MS).unref();
  }

  async #answerTo(asked: HubQuestion): Promise<object> {
    const { onQuit, systemProxies, approvals, settings } = this.#options;
    const hub = HUB_PROTOCOL;
    switch (asked.question) {
      case 'quit':
        return { hub, quits: onQuit !== undefined } satisfies QuitAnswer;
      case 'sessions':
        return { hub, version: VERSION, sessions: this.sessions() } satisfies SessionsAnswer;
      case 'calls':
        return { hub, calls: this.#options.watcher?.recentCalls?.(asked) ?? [] } satisfies CallsAnswer;
      case 'override-changed':
        this.#options.watcher?.onOverrideChanged?.(asked.host);
        return { hub };
      case 'proxies': {
        const proxies = (await systemProxies?.(asked.origin).catch(() => '')) ?? '';
        return { hub, proxies } satisfies ProxiesAnswer;
      }
      case 'settings':
      case 'change-settings':
      case 'start-at-login':
        return answerAboutSettings(settings, asked);
      default:
        return answerAboutApprovals(approvals, asked);
    }
  }

  /** An error from here on ends this client's connection alone. */
  #enter(socket: Socket, entry: EntryRequest, rest: Buffer): void {
    let isEnded = false;
    const end = (error: unknown) => {
      if (isEnded) return;
      isEnded = true;
      console.error(`The session of a proxy (process ${entry.pid}) ended with an error. ${inOneLine(error)}`);
      socket.removeAllListeners('data');
      // Frames that were written before still go out, if the client reads them in time.
      socket.destroySoon();
      setTimeout(() => socket.destroy(), HELLO_MS).unref();
    };
    asSession(end, () => {
      this.#attach(socket, entry, rest, end).catch(end);
    });
  }

  async #attach(socket: Socket, entry: EntryRequest, rest: Buffer, end: (error: unknown) => void): Promise<void> {
    const { profile, path } = entry.request;
    const record = this.#sessionLog.begin({ pid: entry.pid, profile, path });
    const plain = new StreamSink(socket);
    const layers = [recording(record)];
    const sink = towardClient(plain, layers);
    let bridge: Bridge;
    try {
      bridge = await this.#options.serve(entry.request, sink, record);
    } catch {
      // The proxy meets the same error on its own, and can report it to its terminal or client.
      socket.end(welcome(false));
      return;
    }
    let faults = 0;
    const broken = (error: unknown, frame?: Buffer) => {
      if (frame) refuseFrame(frame, error, plain);
      faults += 1;
      // One frame that causes an exception does not cost the others their answers.
      if (!frame || faults >= MAX_FAULTS) end(error);
    };
    const safe = guarded(behind(bridge, layers), broken, (work) => asSession(end, work));
    // The hub was closed meanwhile.
    if (socket.destroyed) return safe.close();
    this.#sessionLog.add(record);
    socket.write(welcome(true));
    const served = serveSocket(safe, sink, socket, rest);
    this.#served.add(served);
    socket.on('close', () => this.#sessionLog.remove(record));
    await served;
    this.#served.delete(served);
  }
}

/**
 * Runs a bridge over a socket until the proxy disconnects. A proxy that has closed its end waits for answers or was killed;
 * blank lines, which a proxy skips, find out which.
 */
function serveSocket(bridge: Bridge, sink: FrameSink, socket: Socket, rest: Buffer): Promise<void> {
  const input = readFrames(bridge, sink, socket);
  const probe = () => socket.write('\n');
  let probing: NodeJS.Timeout | undefined;
  socket.on('end', async () => {
    input.end();
    input.stop();
    probe();
    probing = setInterval(probe, PROBE_MS);
    await bridge.finish(FINISH_MS);
    clearInterval(probing);
    socket.end();
  });
  const over = gone(socket).then(() => {
    clearInterval(probing);
    input.stop();
    return bridge.close();
  });
  input.push(rest);
  socket.resume();
  return over;
}

/** Closes a socket once everything written to it has been sent. */
async function written(socket: Socket): Promise<void> {
  if (socket.destroyed) return;
  const closed = gone(socket);
  socket.destroySoon();
  await closed;
}

/** Resolves when a socket is closed, for any reason. */
function gone(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

function welcome(ready: boolean): string {
  return `${JSON.stringify({ hub: HUB_PROTOCOL, ready, version: VERSION } satisfies Welcome)}\n`;
}
