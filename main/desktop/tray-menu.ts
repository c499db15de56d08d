import type { DesktopState, EffectiveWarehouse, WarehouseState } from '../../preload/contract.ts';
import { becauseOf, effectiveName, hostInWords, stateInWords } from '../../preload/words.ts';

/** What a click in the tray's menu does. */
export type TrayAction = 'open' | 'check-again' | 'quit';

export type TrayItem =
  | { kind: 'text'; label: string }
  | { kind: 'action'; label: string; action: TrayAction }
  | { kind: 'separator' };

const SEPARATOR: TrayItem = { kind: 'separator' };
const LAST: TrayItem[] = [
  { kind: 'action', label: 'Open Causeway', action: 'open' },
  { kind: 'action', label: 'Quit', action: 'quit' },
];

/** The tray's menu: who and where, the effective warehouse and why it is that one, open, quit. */
export function trayMenu(state: DesktopState): TrayItem[] {
  return [...ITEMS[state.warehouse.status](state), SEPARATOR, ...LAST];
}

/** The tray icon's tooltip: the answer in one line. */
export function trayTooltip(state: DesktopState): string {
  const { warehouse } = state;
  return warehouse.status === 'known'
    ? `Causeway: ${answerOf(warehouse.effective)}`
    : `Causeway: ${STATUS[warehouse.status]}`;
}

const STATUS: Record<Exclude<WarehouseState['status'], 'known'>, string> = {
  loading: 'Asking the workspace…',
  unconfigured: 'No workspace yet',
  failed: 'Needs attention',
};

const ITEMS: Record<WarehouseState['status'], (state: DesktopState) => TrayItem[]> = {
  loading: ({ profile }) => [
    { kind: 'text', label: profile ?? 'Causeway' },
    { kind: 'text', label: STATUS.loading },
  ],
  unconfigured: () => [{ kind: 'action', label: `${STATUS.unconfigured}: set one up…`, action: 'open' }],
  failed: ({ profile, warehouse }) => [
    { kind: 'text', label: profile ?? 'Causeway' },
    { kind: 'action', label: warehouse.status === 'failed' ? warehouse.problem.message : '', action: 'open' },
    { kind: 'action', label: 'Try again', action: 'check-again' },
  ],
  known: ({ warehouse }) => (warehouse.status === 'known' ? known(warehouse) : []),
};

function known({ effective, lastFailure }: Extract<WarehouseState, { status: 'known' }>): TrayItem[] {
  const who = effective.user.userName || hostInWords(effective.host);
  const [problem] = effective.problems;
  return [
    { kind: 'text', label: `${effective.profile} · ${who}` },
    { kind: 'action', label: answerOf(effective), action: 'open' },
    { kind: 'text', label: becauseOf(effective) },
    ...(problem ? [{ kind: 'action', label: problem.message, action: 'open' } as const] : []),
    ...(lastFailure
      ? [{ kind: 'action', label: `Could not check: ${lastFailure.message}`, action: 'open' } as const]
      : []),
  ];
}

function answerOf(effective: EffectiveWarehouse): string {
  const name = effectiveName(effective);
  return effective.warehouse ? `${name} — ${stateInWords(effective.warehouse.state).toLowerCase()}` : name;
}
