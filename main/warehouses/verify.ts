import { CausewayError, inOneLine } from '../platform/errors.ts';
import type { RestClient } from '../workspace/client.ts';
import type { OverrideRecord } from '../workspace/overrides.ts';
import { cliDefault } from './cli-default.ts';
import type { EffectiveWarehouse } from './effective.ts';
import { type EndToEndOptions, runEndToEnd } from './end-to-end.ts';
import type { Finding } from './finding.ts';
import { describeOverride } from './override-changes.ts';
import { overrideOperations } from './override-operations.ts';

/** The three layers of spec/default-warehouse-override.md › Verification layers. */
type CheckName = 'record' | 'resolver' | 'end-to-end';

/** What one check came to. */
export interface CheckResult extends Finding {
  check: CheckName;
  /** When it ended, ISO 8601. */
  at: string;
  /** How long it took, in milliseconds. */
  tookMillis: number;
}

type CheckEvent =
  | { kind: 'started'; check: CheckName }
  | { kind: 'progress'; check: CheckName; message: string }
  | { kind: 'finished'; result: CheckResult };

export interface VerifyOptions {
  /** The warehouse that is intended; what the chain came to if left out. */
  targetId?: string | undefined;
  /** Runs the third check too. `mayStop` are the warehouses that the person has agreed to have stopped. */
  endToEnd?: { mayStop: ReadonlySet<string> } | undefined;
  onEvent?: (event: CheckEvent) => void;
  signal?: AbortSignal | undefined;
}

export interface VerifyContext extends Pick<EndToEndOptions, 'clock'> {
  client: RestClient;
  env: NodeJS.ProcessEnv;
  effective: EffectiveWarehouse;
}

/** Runs the checks one after the other. A check that cannot be made is `unknown`, and never keeps the next from running. */
export async function verify(context: VerifyContext, options: VerifyOptions = {}): Promise<CheckResult[]> {
  const { client, env, effective, clock } = context;
  const { endToEnd, signal, onEvent = () => {} } = options;
  const targetId = options.targetId ?? effective.warehouse?.id;
  const nameOf = namesIn(effective);
  const progress = (message: string) => onEvent({ kind: 'progress', check: 'end-to-end', message });

  const checks: [CheckName, () => Promise<Finding>][] = [
    ['record', async () => recordCheck(await overrideOperations(client).find('me', signal), options.targetId, nameOf)],
    ['resolver', async () => resolverCheck(await cliDefault(client, env, signal), targetId, nameOf)],
  ];
  if (endToEnd) {
    const { mayStop } = endToEnd;
    checks.push(['end-to-end', () => runEndToEnd({ client, targetId, mayStop, progress, clock, signal })]);
  }

  const results: CheckResult[] = [];
  for (const [check, run] of checks) {
    onEvent({ kind: 'started', check });
    const startedAt = clock.now();
    const finding = await run().catch(unknownBecause);
    const now = clock.now();
    const result = { check, ...finding, at: new Date(now).toISOString(), tookMillis: now - startedAt };
    results.push(result);
    onEvent({ kind: 'finished', result });
    if (signal?.aborted) break;
  }
  return results;
}

type NameOf = (warehouseId: string) => string;

/** What the warehouses of the chain are called; the others by their ids alone. */
function namesIn({ warehouse, steps }: EffectiveWarehouse): NameOf {
  const known = [warehouse, ...steps.map((step) => step.warehouse)];
  return (id) => {
    const name = known.find((one) => one?.id === id)?.name ?? id;
    return name === id ? `warehouse ${id}` : `${name} (${id})`;
  };
}

/** Check 1: the record names the intended target. */
function recordCheck(record: OverrideRecord | null, targetId: string | undefined, nameOf: NameOf): Finding {
  const stored = `The workspace holds ${describeOverride(record, nameOf)}.`;
  if (record === null && targetId === undefined) {
    return { verdict: 'unknown', evidence: `${stored} There is no record to check.` };
  }
  if (record?.type === 'LAST_SELECTED' && targetId === undefined) {
    return { verdict: 'unknown', evidence: `${stored} It names no warehouse.` };
  }
  if (targetId === undefined || record?.warehouse_id === targetId) return { verdict: 'pass', evidence: stored };
  return { verdict: 'fail', evidence: `${stored} Intended was ${nameOf(targetId)}.` };
}

const RULES = {
  environment: 'because DATABRICKS_WAREHOUSE_ID names it',
  override: 'by your override',
  'workspace-default': 'by the workspace default',
  'first-usable': 'as the first one that you may use',
} as const;

/** Check 2: the command-line client's own lookup comes to the same warehouse. */
function resolverCheck(
  found: Awaited<ReturnType<typeof cliDefault>>,
  targetId: string | undefined,
  nameOf: NameOf,
): Finding {
  const seen = `The Databricks CLI would take ${found.name} (${found.id}), ${RULES[found.rule]}.`;
  if (targetId === undefined) return { verdict: 'unknown', evidence: `${seen} There is no target to compare it with.` };
  if (found.id === targetId) return { verdict: 'pass', evidence: seen };
  return {
    verdict: 'fail',
    evidence: `${seen} Intended was ${nameOf(targetId)}: it is recorded, but does not win the lookup.`,
  };
}

function unknownBecause(error: unknown): Finding {
  if (!(error instanceof CausewayError)) throw error;
  return { verdict: 'unknown', evidence: inOneLine(error) };
}
