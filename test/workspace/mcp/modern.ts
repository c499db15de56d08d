import { createMcpHandler, InMemoryServerEventBus, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Exchange } from './sessions.ts';
import { type AnswerForm, answerForm, type ManagedServerSettings } from './settings.ts';
import { buildServer } from './toolset.ts';

/** Revision 2026-07-28: every request stands alone and carries all that it needs. */
export class Modern {
  readonly #settings: ManagedServerSettings;
  readonly #exchanges = new WeakMap<Request, Exchange>();
  readonly #bus = new InMemoryServerEventBus();
  readonly #handlers: Record<AnswerForm, McpHttpHandler>;

  constructor(settings: ManagedServerSettings) {
    this.#settings = settings;
    // `auto` is JSON unless there is something to say before the answer; the SDK's `json` would drop that.
    this.#handlers = { json: this.#handler('auto'), sse: this.#handler('sse') };
  }

  answer(exchange: Exchange): Promise<Response> {
    const { request, body, method } = exchange;
    this.#exchanges.set(request, exchange);
    const handler = this.#handlers[answerForm(this.#settings, method)];
    return handler.fetch(request, body === undefined ? {} : { parsedBody: body });
  }

  announceToolsChanged(): void {
    this.#bus.publish({ kind: 'tools_list_changed' });
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#handlers).map((handler) => handler.close()));
  }

  #handler(responseMode: 'auto' | 'sse'): McpHttpHandler {
    return createMcpHandler(
      ({ requestInfo }) => {
        const exchange = requestInfo && this.#exchanges.get(requestInfo);
        if (!exchange) throw new Error('The SDK asked for a server for a request that it was not given.');
        return buildServer(exchange.served, this.#settings.listening === 'supported');
      },
      { legacy: 'reject', responseMode, bus: this.#bus },
    );
  }
}
