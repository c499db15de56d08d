import { z } from 'zod';
import type { Endpoint } from '../../bridge/endpoint.ts';
import { MAX_TOOL_PAGES } from '../../bridge/limits.ts';
import { CausewayError } from '../../platform/errors.ts';
import { type AskOptions, OwnClient } from './own-client.ts';

const toolSchema = z.looseObject({
  name: z.string(),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.record(z.string(), z.unknown()).catch({}),
  annotations: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
const pageSchema = z.object({ tools: z.array(toolSchema), nextCursor: z.string().nullish() });
const resultSchema = z.looseObject({ content: z.array(z.unknown()).catch([]), isError: z.boolean().catch(false) });

/** A tool as its server describes it. Servers are not strict about what they say: what is malformed is left out. */
export type Tool = z.output<typeof toolSchema>;

/** What a tool gave back, as it came: content, structured content, and whether the tool itself calls it a failure. */
export type ToolResult = z.output<typeof resultSchema>;

/** How long a server may take for its list of tools, in milliseconds: a workspace may be waking up. */
const PATIENCE_MS = 60_000;
/** The most tools that a server may list: no client could offer so many to a model. */
const MAX_TOOLS = 10_000;

/** One server's session of Causeway's own. */
export class HealthSession {
  readonly #client: OwnClient;

  /** What is remembered of earlier sessions plays no part: every answer is the server's own, of now. It is kept, though. */
  constructor(endpoint: Endpoint, onToolsChanged?: () => void) {
    this.#client = new OwnClient({ ...endpoint, wantsTruth: true }, onToolsChanged);
  }

  /** Asks for all of the server's tools. @throws {CausewayError} as `OwnClient.ask`; `timeout` */
  async tools(signal?: AbortSignal): Promise<Tool[]> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    const options = { signal: signal ? AbortSignal.any([signal, patience]) : patience };
    const tools: Tool[] = [];
    let cursor: string | null | undefined;
    for (let page = 0; page === 0 || cursor; page += 1) {
      if (page === MAX_TOOL_PAGES || tools.length > MAX_TOOLS) throw endless();
      const answer = pageSchema.safeParse(await this.#client.ask('tools/list', cursor ? { cursor } : {}, options));
      if (!answer.success) {
        throw new CausewayError('unexpected_answer', 'The server answered with something that is no list of tools.', {
          cause: answer.error,
        });
      }
      tools.push(...answer.data.tools);
      cursor = answer.data.nextCursor;
    }
    return tools;
  }

  /** Calls a tool. It takes as long as it takes: only `signal` ends it. @throws {CausewayError} as `OwnClient.ask` */
  async call(name: string, args: Record<string, unknown>, options: AskOptions): Promise<ToolResult> {
    const result = resultSchema.safeParse(await this.#client.ask('tools/call', { name, arguments: args }, options));
    if (result.success) return result.data;
    throw new CausewayError('unexpected_answer', 'The server answered with something that is no tool result.');
  }

  /** Ends the session as soon as no call is under way. */
  retire(): Promise<void> {
    return this.#client.retire();
  }

  /** Ends the session, and the calls under way with it. */
  close(): Promise<void> {
    return this.#client.close();
  }
}

function endless(): CausewayError {
  return new CausewayError(
    'unexpected_answer',
    `The server's list of tools has not ended after ${MAX_TOOL_PAGES} pages or ${MAX_TOOLS} tools.`,
    { remedy: 'Tell whoever runs the server.' },
  );
}
