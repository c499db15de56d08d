import { parseFrame } from '../envelope.ts';
import { withElements } from './members.ts';
import { type ParamHeader, paramHeaders } from './param-headers.ts';

/** Which headers each tool of a server of the stateless revision asks for, as far as its lists have told. */
export class ToolCatalog {
  readonly #headers = new Map<string, ParamHeader[]>();

  /** What a call of this tool repeats in headers; nothing where the tool is not known. */
  headersOf(tool: unknown): ParamHeader[] {
    return this.#headers.get(String(tool)) ?? [];
  }

  /**
   * Learns from an answer to `tools/list`, and gives it without the tools whose annotations are invalid: they must not be
   * offered (MCP 2026-07-28 › Streamable HTTP › Schema Extension).
   */
  learn(answer: Buffer): Buffer {
    return withElements(answer, ['result', 'tools'], (element) => {
      const tool = Object(parseFrame(element));
      const headers = paramHeaders(tool.inputSchema);
      if (headers) this.#headers.set(String(tool.name), headers);
      return headers !== undefined;
    });
  }
}
