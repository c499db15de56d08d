import type { DesktopState, EffectiveWarehouse, Failure, WarehouseState } from '../../preload/contract.ts';
import { becauseOf, effectiveName, hostInWords, mattersNow, stateInWords } from '../../preload/words.ts';

/** What a click in the tray's menu does. */
export type TrayAction = 'open' | 'check-again' | 'sign-in' | 'quit';

export type TrayItem =
  | { kind: 'text'; label: string }
  | { kind: 'action'; label: string; action: TrayAction }
  | { kind: 'separator' };

/** The tray's menu: who and where, the effective warehouse and why it is that one, open, quit. */
export function trayMenu({ profile, warehouse }: DesktopState): TrayItem[] {
  return [
    text(whoAndWhere(profile, warehouse)),
    ...middle(warehouse),
    { kind: 'separator' },
    action('Open Causeway', 'open'),
    action('Quit', 'quit'),
  ];
}

/** The tray icon's tooltip: the answer in one line. */
export function trayTooltip({ warehouse }: DesktopState): string {
  return `Causeway: ${warehouse.status === 'known' ? answerOf(warehouse.effective) : inShort(warehouse)}`;
}

function whoAndWhere(profile: string | null, warehouse: WarehouseState): string {
  if (warehouse.status !== 'known') return profile ?? 'Causeway';
  const { user, host } = warehouse.effective;
  return `${warehouse.effective.profile} · ${user.userName || hostInWords(host)}`;
}

function middle(warehouse: WarehouseState): TrayItem[] {
  switch (warehouse.status) {
    case 'loading':
    case 'signing-in':
      return [text(inShort(warehouse))];
    case 'unconfigured':
      return [action(inShort(warehouse), 'open')];
    case 'failed':
      return [action(inShort(warehouse), 'open'), nextStep(warehouse.failure)];
    case 'known': {
      const { effective, lastFailure } = warehouse;
      const problem = effective.problems.find(mattersNow);
      return [
        action(answerOf(effective), 'open'),
        text(becauseOf(effective)),
        ...(problem ? [action(shortened(problem.message), 'open')] : []),
        ...(lastFailure ? [action(shortened(lastFailure.problem.message), 'open'), nextStep(lastFailure)] : []),
      ];
    }
  }
}

function inShort(warehouse: Exclude<WarehouseState, { status: 'known' }>): string {
  switch (warehouse.status) {
    case 'loading':
      return 'Asking the workspace…';
    case 'signing-in':
      return 'Waiting for the browser…';
    case 'unconfigured':
      return 'No workspace yet: set one up…';
    case 'failed':
      return shortened(warehouse.failure.problem.message);
  }
}

function nextStep({ next }: Failure): TrayItem {
  switch (next) {
    case 'sign-in':
      return action('Sign in…', 'sign-in');
    case 'choose-profile':
      return action('Choose a profile…', 'open');
    case 'try-again':
      return action('Try again', 'check-again');
  }
}

function answerOf(effective: EffectiveWarehouse): string {
  const name = effectiveName(effective);
  return effective.warehouse ? `${name} — ${stateInWords(effective.warehouse.state).toLowerCase()}` : name;
}

/** A menu as wide as a sentence hides the screen: the window has the whole of it. */
const WIDEST = 60;

function shortened(sentence: string): string {
  return sentence.length <= WIDEST ? sentence : `${sentence.slice(0, WIDEST - 1).trimEnd()}…`;
}

function text(label: string): TrayItem {
  return { kind: 'text', label };
}

function action(label: string, action: TrayAction): TrayItem {
  return { kind: 'action', label, action };
}
