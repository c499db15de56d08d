import { formatRefusal } from '../../../preload/contract/refusals.ts';
import type { ServerUsageInfo } from '../../../preload/contract.ts';
import { clientOnWire, displayNameOf } from '../../clients/table.ts';
import type { HubCall } from '../../hub/session-record.ts';
import { throttled } from '../throttle.ts';
import { strings } from './strings.ts';

/** The shortest time between two events for the window. */
const EMIT_INTERVAL_MS = 1_000;

/** A server as calls name it. */
interface Called {
  name: string;
  profile: string;
  path: string;
}

/** A call that has ended, as far as usage counts it. */
export type EndedCall = Pick<
  HubCall,
  | 'clientName'
  | 'profile'
  | 'path'
  | 'method'
  | 'tool'
  | 'startedAt'
  | 'durationMs'
  | 'outcome'
  | 'errorCode'
  | 'refusal'
>;

/** What was counted under one profile, or under the default one, and one path. */
interface Counted {
  calls: number;
  failed: number;
  lastCallAt: number;
  hasFailedLast: boolean;
  lastFailure: ServerUsageInfo['lastFailure'];
  byClient: Map<string, number>;
}

/** How often each server's tools were called, by which clients, and what failed last. In memory only, and without contents. */
export class ServerUsage {
  readonly #counted = new Map<string, Counted>();
  readonly #emitSoon: { (): void; stop(): void };

  constructor(changed: () => void) {
    this.#emitSoon = throttled(changed, EMIT_INTERVAL_MS);
  }

  /** A call of an AI client has ended. */
  add(call: EndedCall): void {
    if (call.method !== 'tools/call') return;
    const { profile, path, clientName, tool, startedAt, durationMs } = call;
    const problem = problemOf(call);
    this.#count({ profile, path }, { clientName, tool, at: startedAt + durationMs, problem });
  }

  /** A call that the user has tried has ended; `problem` says how it failed. */
  addTried({ profile, path }: Called, tool: string, problem: string | null): void {
    this.#count({ profile, path }, { clientName: null, tool, at: Date.now(), problem });
  }

  of(servers: readonly Called[]): ServerUsageInfo[] {
    return servers.map((server) => this.#usageOf(server));
  }

  close(): void {
    this.#emitSoon.stop();
  }

  #count(
    of: { profile: string | undefined; path: string },
    {
      clientName,
      tool,
      at,
      problem,
    }: { clientName: string | null; tool: string | null; at: number; problem: string | null },
  ): void {
    const counted = this.#counted.get(keyOf(of)) ?? {
      calls: 0,
      failed: 0,
      lastCallAt: 0,
      hasFailedLast: false,
      lastFailure: null,
      byClient: new Map<string, number>(),
    };
    counted.calls += 1;
    counted.lastCallAt = Math.max(counted.lastCallAt, at);
    counted.hasFailedLast = problem !== null;
    if (problem !== null) {
      counted.failed += 1;
      const client = clientName === null ? null : displayNameOf(clientName);
      counted.lastFailure = { at, tool, client, words: problem };
    }
    if (clientName !== null) counted.byClient.set(clientName, (counted.byClient.get(clientName) ?? 0) + 1);
    this.#counted.set(keyOf(of), counted);
    this.#emitSoon();
  }

  #usageOf({ name, profile, path }: Called): ServerUsageInfo {
    // A client that names no profile uses the default one, which may be this.
    const parts = [profile, undefined].flatMap((by) => this.#counted.get(keyOf({ profile: by, path })) ?? []);
    const latest = parts.toSorted((one, other) => other.lastCallAt - one.lastCallAt)[0];
    const failures = parts.flatMap(({ lastFailure }) => lastFailure ?? []);
    const clients = new Map<string, number>();
    for (const [client, calls] of parts.flatMap(({ byClient }) => [...byClient])) {
      clients.set(client, (clients.get(client) ?? 0) + calls);
    }
    return {
      name,
      calls: parts.reduce((sum, { calls }) => sum + calls, 0),
      failed: parts.reduce((sum, { failed }) => sum + failed, 0),
      lastCallAt: latest?.lastCallAt ?? null,
      hasFailedLast: latest?.hasFailedLast ?? false,
      lastFailure: failures.toSorted((one, other) => other.at - one.at)[0] ?? null,
      clients: [...clients]
        .toSorted(([, one], [, other]) => other - one)
        .map(([client, calls]) => ({
          name: displayNameOf(client),
          mark: clientOnWire(client)?.mark ?? null,
          calls,
        })),
    };
  }
}

/** How a call failed; null if it did not, or if the user ended it. */
function problemOf({ outcome, errorCode, refusal }: EndedCall): string | null {
  switch (outcome) {
    case 'tool-error':
      return strings.toolFailed;
    case 'error':
      if (refusal !== null) return `${formatRefusal(refusal)}.`;
      return errorCode === null ? strings.refusedPlain : strings.refused(errorCode);
    case 'lost':
      return strings.lost;
    default:
      return null;
  }
}

function keyOf({ profile, path }: { profile: string | undefined; path: string }): string {
  return JSON.stringify([profile ?? null, path]);
}
