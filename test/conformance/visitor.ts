import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Revision } from './fixtures/serve.ts';

/** What a server has said about itself or asked for, as the client heard it. */
interface Heard {
  what: string;
  params: Record<string, unknown>;
}

/** The official client with a server's command as its own, able to do all that a server may ask, that remembers what it hears. */
export class Visitor {
  readonly client: Client;
  readonly #heard: Heard[] = [];
  #wake: () => void = () => {};

  constructor(revision: Revision) {
    this.client = new Client(
      { name: 'visitor', version: '1' },
      {
        capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
        versionNegotiation: { mode: revision === 'stateless' ? { pin: '2026-07-28' } : 'legacy' },
      },
    );
    const { client } = this;
    client.setRequestHandler('sampling/createMessage', ({ params }) => {
      this.#hear('sampling', params);
      return { model: 'none', role: 'assistant', content: { type: 'text', text: 'sampled by the client' } };
    });
    client.setRequestHandler('elicitation/create', ({ params }) => {
      this.#hear('elicitation', params);
      return 'requestedSchema' in params
        ? { action: 'accept', content: { name: 'Ada Lovelace', integer: 7 } }
        : { action: 'accept' };
    });
    client.setRequestHandler('roots/list', () => {
      this.#hear('roots', {});
      return { roots: [{ uri: 'file:///tmp/project', name: 'the project' }] };
    });
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => this.#hear('updated', params));
    // The client's own way drops a progress that comes together with the answer.
    client.setNotificationHandler('notifications/progress', ({ params }) => this.#hear('progress', params));
    client.setNotificationHandler('notifications/message', ({ params }) => this.#hear('message', params));
    client.setNotificationHandler('notifications/resources/list_changed', () => this.#hear('resources changed', {}));
  }

  async connect(args: string[], env: Record<string, string>): Promise<void> {
    await this.client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  }

  /** Waits until something is heard that was not heard before, and gives it. */
  async next(what: string): Promise<Record<string, unknown>> {
    for (;;) {
      const at = this.#heard.findIndex((each) => each.what === what);
      const [found] = at === -1 ? [] : this.#heard.splice(at, 1);
      if (found) return found.params;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Calls a tool and gives its answer's text. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { content, isError } = await this.client.callTool({ name, arguments: args });
    const text = content.map((each) => ('text' in each ? each.text : each.type)).join('\n');
    if (isError) throw new Error(text);
    return text;
  }

  #hear(what: string, params: object): void {
    this.#heard.push({ what, params: { ...params } });
    this.#wake();
  }
}
