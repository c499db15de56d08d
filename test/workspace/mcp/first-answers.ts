import { setTimeout as sleep } from 'node:timers/promises';
import type { BehaviorName } from '../behaviors.ts';

/** Longer than what a client's proxy waits for before it answers on its own (a seventh of a second, two seconds). */
const FIRST_ANSWER_MS = 200;
const FIRST_TOOL_LIST_MS = 2_300;

/** Lets an MCP server's first answers to a user be late, where the workspace behaves so. */
export class FirstAnswers {
  readonly #behaviors: ReadonlySet<BehaviorName>;
  readonly #seen = new Set<string>();

  constructor(behaviors: ReadonlySet<BehaviorName>) {
    this.#behaviors = behaviors;
  }

  async wait(userId: string, path: string, methods: readonly string[], signal: AbortSignal): Promise<void> {
    const server = `${userId} ${path}`;
    const listsTools = methods.includes('tools/list');
    if (this.#behaviors.has('slowToolLists') && listsTools && this.#isFirst(`${server} tools/list`)) {
      return pause(FIRST_TOOL_LIST_MS, signal);
    }
    if (this.#behaviors.has('slowFirstAnswers') && this.#isFirst(server)) return pause(FIRST_ANSWER_MS, signal);
  }

  #isFirst(what: string): boolean {
    if (this.#seen.has(what)) return false;
    this.#seen.add(what);
    return true;
  }
}

/** Ends early when the client goes. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}
