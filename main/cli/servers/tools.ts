import { z } from 'zod';
import { createBridge } from '../../bridge/bridge.ts';
import { openEndpoint } from '../../bridge/endpoint.ts';
import type { FrameSink } from '../../bridge/flow.ts';
import type { ManagedServer } from '../../clients/servers.ts';
import { CausewayError } from '../../platform/errors.ts';
import { openPool } from '../../platform/http.ts';
import { VERSION } from '../../platform/version.ts';
import type { CommandContext } from '../command.ts';

const toolSchema = z.object({ name: z.string(), description: z.string().optional() });
const pageSchema = z.object({ tools: z.array(toolSchema), nextCursor: z.string().optional() });
const answerSchema = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** A tool as its server describes it. */
export type Tool = z.infer<typeof toolSchema>;

/** How long a server may take for one answer, in milliseconds: a warehouse may have to start. */
const PATIENCE_MS = 60_000;

/**
 * Begins a session with a server through the bridge and asks what tools it has. What the bridge remembers of earlier
 * sessions plays no part: the answer is the server's own, of now.
 * @throws {CausewayError} as `openEndpoint`; `unexpected_answer` with the server's words, `timeout`, `cancelled`
 */
export async function askForTools(context: CommandContext, { profile, path }: ManagedServer): Promise<Tool[]> {
  const { env } = context;
  const open = (origin: string) => openPool(origin, { env, silenceMs: PATIENCE_MS });
  const { memory: _, ...endpoint } = await openEndpoint({ profile, path }, await context.causeway().auth(), open, env);
  const answers = new Answers();
  const bridge = createBridge(endpoint, answers);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const ask = (id: number, method: string, params: unknown) => {
    bridge.receive(frame({ jsonrpc: '2.0', id, method, params }));
    return answers.to(id, signal);
  };
  try {
    const clientInfo = { name: 'causeway', version: VERSION };
    await ask(0, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    bridge.receive(frame({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    const tools: Tool[] = [];
    let cursor: string | undefined;
    for (let id = 1; id === 1 || cursor !== undefined; id += 1) {
      const page = pageSchema.parse(await ask(id, 'tools/list', cursor === undefined ? {} : { cursor }));
      tools.push(...page.tools);
      cursor = page.nextCursor;
    }
    return tools;
  } finally {
    await bridge.close();
    await endpoint.dispatcher.destroy();
  }
}

const frame = (message: unknown) => Buffer.from(JSON.stringify(message));

/** Hears what the bridge answers. */
class Answers implements FrameSink {
  readonly buffered = 0;
  readonly flowing = true;
  readonly #waiting = new Map<number, (answer: z.infer<typeof answerSchema>) => void>();

  write(bytes: Buffer): void {
    const answer = answerSchema.safeParse(JSON.parse(bytes.toString('utf8')));
    if (answer.success) this.#waiting.get(answer.data.id)?.(answer.data);
  }

  onDrain(): void {}

  async flushed(): Promise<void> {}

  /** @throws {CausewayError} `unexpected_answer`, `timeout`, `cancelled` */
  to(id: number, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        const reason: unknown = signal.reason;
        const late = new CausewayError('timeout', `No answer within ${PATIENCE_MS / 1000} seconds.`, { cause: reason });
        reject(reason instanceof CausewayError ? reason : late);
      };
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.set(id, ({ result, error }) => {
        signal.removeEventListener('abort', stop);
        if (error) reject(new CausewayError('unexpected_answer', error.message));
        else resolve(result);
      });
    });
  }
}
