import type { DesktopState, EffectiveWarehouse, Failure, WarehouseState } from '../../../preload/contract.ts';
import {
  becauseOf,
  effectiveName,
  hostInWords,
  mattersNow,
  nameAndState,
  sessionsInWords,
} from '../../../preload/words.ts';
import { action, open, type TrayItem, text } from './tray-item.ts';
import { serverItems } from './tray-servers.ts';
import { startOrStop, switchWarehouse } from './tray-switch.ts';

/** The tray's menu: who and where, the effective warehouse and why it is that one, what can be done, the servers, open, quit. */
export function trayMenu(state: DesktopState): TrayItem[] {
  return [
    text(whoAndWhere(state.profile, state.warehouse)),
    ...middle(state),
    { kind: 'separator' },
    ...serverItems(state),
    sessions(state),
    ...recording(state),
    { kind: 'separator' },
    open('Open Causeway'),
    action('Copy diagnostics', { do: 'copy-diagnostics' }),
    updates(state),
    action('Quit', { do: 'quit' }),
  ];
}

function updates({ update }: DesktopState): TrayItem {
  switch (update.status) {
    case 'not-possible-here':
      // The screen says how this copy is updated instead.
      return action('Check for updates', { do: 'open', screen: 'settings' });
    case 'checking':
      return text('Looking for updates…');
    case 'available':
      return action(`Get version ${update.version}`, { do: 'get-update' });
    case 'downloading':
      // Without the share that is there already: a menu that is drawn anew closes under the person's hand.
      return text(`Fetching version ${update.version}…`);
    case 'ready':
      return action(`Restart to update to ${update.version}`, { do: 'restart-to-update' });
    default:
      return action('Check for updates', { do: 'check-for-updates' });
  }
}

function sessions({ proxies }: DesktopState): TrayItem {
  const words = sessionsInWords(proxies.length);
  return proxies.length === 0 ? text(words) : action(words, { do: 'open', screen: 'activity' });
}

/** Whoever forgets that it is on sees it here. */
function recording({ recording }: DesktopState): TrayItem[] {
  const isOn = recording.status === 'on';
  return isOn ? [action('Contents of calls are being recorded…', { do: 'open', screen: 'activity' })] : [];
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

function middle({ warehouse, choices }: DesktopState): TrayItem[] {
  switch (warehouse.status) {
    case 'loading':
    case 'signing-in':
      return [text(inShort(warehouse))];
    case 'unconfigured':
      return [open(inShort(warehouse))];
    case 'failed':
      return [open(inShort(warehouse)), nextStep(warehouse.failure)];
    case 'known': {
      const { effective, lastFailure } = warehouse;
      const problem = effective.problems.find(mattersNow);
      return [
        open(answerOf(effective)),
        text(becauseOf(effective)),
        ...(problem ? [open(shortened(problem.message))] : []),
        ...(lastFailure ? [open(shortened(lastFailure.problem.message)), nextStep(lastFailure)] : []),
        switchWarehouse(effective, choices),
        ...startOrStop(effective),
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
      return action('Sign in…', { do: 'sign-in' });
    case 'choose-profile':
      return open('Choose a profile…');
    case 'try-again':
      return action('Try again', { do: 'check-again' });
  }
}

function answerOf(effective: EffectiveWarehouse): string {
  return effective.warehouse ? nameAndState(effective.warehouse) : effectiveName(effective);
}

/** A menu as wide as a sentence hides the screen: the window has the whole of it. */
const WIDEST = 60;

function shortened(sentence: string): string {
  return sentence.length <= WIDEST ? sentence : `${sentence.slice(0, WIDEST - 1).trimEnd()}…`;
}
