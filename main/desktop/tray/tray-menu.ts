import type {
  AttachedProxy,
  Choices,
  ConfiguredServer,
  DesktopState,
  EffectiveWarehouseInfo,
  Failure,
  PendingApprovalInfo,
  WarehouseState,
} from '../../../preload/contract.ts';
import {
  effectiveName,
  formatHost,
  formatSessions,
  mattersNow,
  nameAndState,
  reasonFor,
} from '../../../preload/format.ts';
import { displayText } from '../../platform/display.ts';
import { attentionOf, isSignedOut } from '../attention.ts';
import { beginningOf, questionOf } from '../rules.ts';
import type { TrayAction } from './tray-action.ts';

/** The tray's menu: what waits for the user, user and host, the effective warehouse and its reason, actions, servers, open, quit. */
export function trayMenu(state: DesktopState): TrayItem[] {
  return [
    ...approvalItems(state),
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

/** The most calls in the menu; the window has them all. */
const MAX_APPROVALS = 5;

/** The calls that wait for the user, the oldest first. */
function approvalItems({ approvals }: DesktopState): TrayItem[] {
  if (approvals.length === 0) return [];
  const more = approvals.length - MAX_APPROVALS;
  return [
    ...approvals.slice(0, MAX_APPROVALS).map(approvalItem),
    ...(more > 0 ? [open(`${more} more…`)] : []),
    { kind: 'separator' },
  ];
}

function approvalItem(approval: PendingApprovalInfo): TrayItem {
  const { id, client } = approval;
  const beginning = beginningOf(approval);
  return {
    kind: 'submenu',
    label: questionOf(approval),
    items: [
      ...(beginning === '' ? [] : [open(beginning)]),
      action('Allow once', { do: 'answer-call', id, answer: 'once' }),
      ...(client === null ? [] : [action(`Always allow for ${client}`, { do: 'answer-call', id, answer: 'always' })]),
      action('Refuse', { do: 'answer-call', id, answer: 'refuse' }),
    ],
  };
}

function updates({ update }: DesktopState): TrayItem {
  switch (update.status) {
    case 'not-possible-here':
      // The screen explains how to update this copy.
      return action('Check for updates', { do: 'open', screen: 'settings' });
    case 'checking':
      return text('Looking for updates…');
    case 'available':
      return action(`Get version ${update.version}`, { do: 'get-update' });
    case 'downloading':
      // Without a percentage: a menu that is redrawn closes while the user has it open.
      return text(`Fetching version ${update.version}…`);
    case 'ready':
      return action(`Restart to update to ${update.version}`, { do: 'restart-to-update' });
    default:
      return action('Check for updates', { do: 'check-for-updates' });
  }
}

function sessions({ proxies }: DesktopState): TrayItem {
  const words = formatSessions(proxies.length);
  return proxies.length === 0 ? text(words) : action(words, { do: 'open', screen: 'activity' });
}

/** A reminder that recording is on. */
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
  return `${warehouse.effective.profile} · ${user.userName || formatHost(host)}`;
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
        text(reasonFor(effective)),
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

function answerOf(effective: EffectiveWarehouseInfo): string {
  return effective.warehouse ? nameAndState(effective.warehouse) : effectiveName(effective);
}

/** The longest sentence in the menu, in characters: the window shows the whole text. */
const MAX_SENTENCE_LENGTH = 60;

function shortened(sentence: string): string {
  return sentence.length <= MAX_SENTENCE_LENGTH ? sentence : `${sentence.slice(0, MAX_SENTENCE_LENGTH - 1).trimEnd()}…`;
}

/** What the tray's icon shows. */
export type TrayMood = 'ready' | 'working' | 'attention' | 'signed-out';

export function trayMood(state: DesktopState): TrayMood {
  const { status } = state.warehouse;
  if (state.approvals.length > 0) return 'attention';
  if (status === 'loading' || status === 'signing-in') return 'working';
  if (status === 'unconfigured' || isSignedOut(state)) return 'signed-out';
  return attentionOf(state).length > 0 ? 'attention' : 'ready';
}

/**
 * The icon's file in `resources/tray/`. macOS draws template images itself in the colour that the menu bar needs;
 * elsewhere bars may be light or dark without saying so, hence a badge that brings its own background.
 */
export function trayIconFile(mood: TrayMood, platform: NodeJS.Platform): string {
  return platform === 'darwin' ? `${mood}Template.png` : `${mood}.png`;
}

/** One line of the tray's menu, as data. */
export type TrayItem =
  | { kind: 'text'; label: string }
  | { kind: 'action'; label: string; action: TrayAction }
  /** A radio item. Without an action it only shows the present choice. */
  | { kind: 'choice'; label: string; chosen: boolean; action: TrayAction | null }
  | { kind: 'submenu'; label: string; items: TrayItem[] }
  | { kind: 'separator' };

function text(label: string): TrayItem {
  return { kind: 'text', label };
}

function action(label: string, action: TrayAction): TrayItem {
  return { kind: 'action', label, action };
}

/** Leads to the window's main screen. */
function open(label: string): TrayItem {
  return action(label, { do: 'open', screen: 'warehouse' });
}

/** In characters: a wider menu hides the screen. */
const MAX_LABEL_LENGTH = 100;

/**
 * A label as Electron's menus take it: names in it come from the workspace, and an `&` that is not doubled marks the letter
 * after it as the one to press, on all three systems (Linux shows it as `_`).
 */
export function menuLabel(label: string): string {
  return displayText(label, { maxLength: MAX_LABEL_LENGTH }).replaceAll('&', '&&');
}

/** The most servers in the menu; the window has them all. */
const MAX_SERVERS = 8;

/** Each server with its state, number of tools and sessions, and a sign-in for each profile that needs one. */
function serverItems(state: DesktopState): TrayItem[] {
  const { servers, proxies, warehouse } = state;
  if (servers.length === 0) {
    // Without a workspace and a sign-in, other steps come first.
    return warehouse.status === 'known' ? [action('Add servers…', { do: 'open', screen: 'servers' })] : [];
  }
  const more = servers.length - MAX_SERVERS;
  return [
    ...servers.slice(0, MAX_SERVERS).map((server) =>
      action(`${server.name} — ${describeServer(server, proxies)}`, {
        do: 'open',
        screen: 'servers',
        item: server.name,
      }),
    ),
    ...(more > 0 ? [action(`${more} more…`, { do: 'open', screen: 'servers' })] : []),
    ...signIns(state).map((profile) => action(`Sign in to ${profile}…`, { do: 'sign-in-to', profile })),
    ...servers
      .filter((server) => server.state.action === 'sign-in-to-service')
      .map(({ name, service: title = name }) =>
        action(`Sign in to ${title}…`, { do: 'sign-in-to-service', server: name, title }),
      ),
  ];
}

/** Profiles whose servers wait for a sign-in, without the open profile, which has its own item above. */
function signIns({ servers, profile }: DesktopState): string[] {
  const waiting = servers.filter(({ state }) => state.action === 'sign-in').map((server) => server.profile);
  return [...new Set(waiting)].filter((each) => each !== profile);
}

function describeServer({ profile, path, state }: ConfiguredServer, proxies: readonly AttachedProxy[]): string {
  const words = state.label.charAt(0).toLowerCase() + state.label.slice(1);
  // A session that names no profile uses the default one, which may be this.
  const isItsOwn = (proxy: AttachedProxy) =>
    proxy.path === path && (proxy.profile === profile || proxy.profile === null);
  const sessions = proxies.filter(isItsOwn).length;
  if (sessions === 0) return words;
  return `${words}, ${sessions === 1 ? '1 session' : `${sessions} sessions`}`;
}

/** The submenu that switches the warehouse. One choice is always marked. */
function switchWarehouse(effective: EffectiveWarehouseInfo, choices: Choices | null): TrayItem {
  if (choices === null) return open('Switch warehouse…');
  const { profile, override } = effective;
  const { warehouses, more } = choices;
  const pinned = override?.type === 'CUSTOM' ? override.warehouseId : null;
  const items = warehouses.map(
    (warehouse): TrayItem => ({
      kind: 'choice',
      label: nameAndState(warehouse),
      chosen: warehouse.id === pinned,
      action: { do: 'use-warehouse', profile, warehouseId: warehouse.id, name: warehouse.name },
    }),
  );
  const chosenElsewhere =
    override !== null && override.type !== 'LAST_SELECTED' && !warehouses.some(({ id }) => id === pinned);
  return {
    kind: 'submenu',
    label: 'Switch warehouse',
    items: [
      ...items,
      // In a radio group without a checked item the system checks the first one.
      ...(chosenElsewhere ? [chosenNow(effective)] : []),
      {
        kind: 'choice',
        label: 'Use workspace default',
        chosen: override === null,
        action: { do: 'use-workspace-default', profile },
      },
      {
        kind: 'choice',
        label: 'Last selected',
        chosen: override?.type === 'LAST_SELECTED',
        action: { do: 'use-last-selected', profile },
      },
      ...(more > 0 ? [open(`${more} more…`)] : []),
    ],
  };
}

/** Starts or stops the effective warehouse, unless it is changing state. */
function startOrStop({ profile, warehouse }: EffectiveWarehouseInfo): TrayItem[] {
  if (warehouse === null) return [];
  const { id: warehouseId, name, state } = warehouse;
  if (state === 'STOPPED') return [action(`Start ${name}`, { do: 'start-warehouse', profile, warehouseId, name })];
  if (state !== 'RUNNING' && state !== 'STARTING') return [];
  return [action(`Stop ${name}…`, { do: 'stop-warehouse', profile, warehouseId, name })];
}

function chosenNow({ warehouse }: EffectiveWarehouseInfo): TrayItem {
  const label = warehouse ? nameAndState(warehouse) : 'A warehouse that cannot be found';
  return { kind: 'choice', label, chosen: true, action: null };
}
