import type { ServerResponse } from 'node:http';
import { vi } from 'vitest';
import { environment, homeWith, ProxyProcess } from '../../proxy/proxy-process.ts';
import { type Script, type ScriptedServer, startScriptedServer } from '../scripted-server.ts';

// Each test starts processes, which is slow where much else runs.
vi.setConfig({ testTimeout: 120_000 });

const PATH = '/api/2.0/mcp/sql';

/** A real `causeway proxy` in front of a server that does what a test tells it. */
export interface Scenario {
  server: ScriptedServer;
  proxy: ProxyProcess;
  /** Another proxy of the same user before the same server. */
  again(): ProxyProcess;
}

/** What the tests of one file have open; `close` ends it all. */
export class Stage {
  readonly #open: { close(): Promise<unknown> }[] = [];

  async begin(script: Script, env: NodeJS.ProcessEnv = {}): Promise<Scenario> {
    const server = await startScriptedServer(script);
    const home = await homeWith({ acme: { host: server.origin, token: 'dapi-acme' } });
    this.#open.push(server, home);
    const again = () => {
      const proxy = new ProxyProcess(['--path', PATH], environment(home.home, env));
      this.#open.push(proxy);
      return proxy;
    };
    return { server, proxy: again(), again };
  }

  async close(): Promise<void> {
    for (const thing of this.#open.splice(0).reverse()) await thing.close();
  }
}

/** Writes events and resolves when they have left, so that what is cut next is cut behind them. */
export function events(response: ServerResponse, text: string): Promise<void> {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  return new Promise((resolve) => response.write(text, () => resolve()));
}

/** One event that holds a frame. */
export function event(frame: unknown, id?: string): string {
  const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${text}\n\n`;
}
