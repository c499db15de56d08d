/** How sure an answer is: read from the workspace, worked out by rules that it does not publish, or not to be had. */
export type Certainty = 'known' | 'predicted' | 'unknown';

export interface WarehouseSummary {
  id: string;
  /** The id again where the name cannot be read. */
  name: string;
  /** As the workspace spells it: `RUNNING`, `STOPPED`, `STARTING`, …; new words pass through; `UNKNOWN` if not readable. */
  state: string;
  /** `2X-Small` … `5X-Large`; empty if not readable. */
  size: string;
  /** `PRO`, `CLASSIC` or a newer word; empty if not readable. */
  type: string;
  serverless: boolean;
  /** Whether the signed-in user may run queries on it; `unknown` where the workspace does not say. */
  canUse: boolean | 'unknown';
}

type StepSource = 'override' | 'workspace-default' | 'heuristic';

/** One link of the chain: override, then workspace default, then heuristic (spec/managed-mcp-endpoints.md › 6). */
export interface EffectiveStep {
  source: StepSource;
  outcome: 'decides' | 'passed-over' | 'empty' | 'unreadable';
  certainty: Certainty;
  /** What this step names, if it names one that could be read. */
  warehouse: WarehouseSummary | null;
  /** Why it won or was passed over, as one sentence for users. */
  reason: string;
  /** The heuristic's tier, 1 to 5, that its warehouse falls into. */
  tier?: number;
}

/** A reason why queries would fail although a warehouse is chosen, found before a query is sent. */
export interface EffectiveProblem {
  code: 'warehouse-gone' | 'cannot-use' | 'deleting' | 'last-selected-unseen' | 'override-api-missing' | 'no-warehouse';
  message: string;
  remedy: string;
}

/** Which warehouse this user's queries run on, and why. */
export interface EffectiveWarehouse {
  profile: string;
  host: string;
  user: { id: string; userName: string; displayName: string; admin: boolean | 'unknown' };
  warehouse: WarehouseSummary | null;
  decidedBy: StepSource | null;
  certainty: Certainty;
  override: { type: string; warehouseId: string | null } | null;
  steps: EffectiveStep[];
  problems: EffectiveProblem[];
}
