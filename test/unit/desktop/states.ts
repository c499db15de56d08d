import type { ErrorCode } from '../../../preload/contract/error-facts.ts';
import type {
  ConfiguredServer,
  DesktopState,
  EffectiveWarehouseInfo,
  Failure,
  WarehouseInfo,
} from '../../../preload/contract.ts';
import { INITIAL_STATE } from '../../../preload/initial-state.ts';

/** Values that the desktop's decisions are tested on. Each takes what the test is about, and fills in the rest. */

export function warehouse(change: Partial<WarehouseInfo> = {}): WarehouseInfo {
  return {
    id: 'a1',
    name: 'Shared analytics',
    state: 'RUNNING',
    size: 'Medium',
    type: 'PRO',
    serverless: true,
    canUse: true,
    ...change,
  };
}

/** By default: Ana has chosen Shared analytics, and the workspace's default is Starter. */
export function effective(change: Partial<EffectiveWarehouseInfo> = {}): EffectiveWarehouseInfo {
  const chosen = warehouse();
  const starter = warehouse({ id: 'b2', name: 'Starter', state: 'STOPPED', serverless: false });
  return {
    profile: 'acme',
    host: 'https://acme.cloud.databricks.com',
    user: { id: '1', userName: 'ana@example.com', displayName: 'Ana', admin: false },
    warehouse: chosen,
    decidedBy: 'override',
    certainty: 'known',
    seen: null,
    override: { type: 'CUSTOM', warehouseId: 'a1' },
    steps: [
      { source: 'override', outcome: 'decides', certainty: 'known', warehouse: chosen, reason: 'Chosen.' },
      { source: 'workspace-default', outcome: 'passed-over', certainty: 'known', warehouse: starter, reason: 'Set.' },
      { source: 'heuristic', outcome: 'passed-over', certainty: 'predicted', warehouse: chosen, reason: 'Best.' },
    ],
    problems: [],
    ...change,
  };
}

export function known(change: Partial<EffectiveWarehouseInfo> = {}, lastFailure: Failure | null = null): DesktopState {
  return stateOf({ status: 'known', effective: effective(change), checkedAt: 0, checking: false, lastFailure });
}

export function failure(code: ErrorCode, next: Failure['next'] = 'try-again', message = 'It went wrong.'): Failure {
  return { problem: { code, message, remedy: null }, next };
}

export function stateOf(warehouse: DesktopState['warehouse']): DesktopState {
  return { ...INITIAL_STATE, profiles: ['acme', 'other'], profile: 'acme', warehouse };
}

/** By default: a server of the open profile that runs and has six tools. */
export function server(
  name: string,
  { state, ...change }: Partial<Omit<ConfiguredServer, 'state'>> & { state?: Partial<ConfiguredServer['state']> } = {},
): ConfiguredServer {
  return {
    name,
    profile: 'acme',
    kind: 'sql',
    path: '/api/2.0/mcp/sql',
    type: 'sql',
    title: name,
    successor: null,
    state: {
      status: 'ready',
      tools: 6,
      label: 'Running, 6 tools',
      words: 'It answers.',
      remedy: null,
      retryAt: null,
      action: null,
      ...state,
    },
    ...change,
  };
}
