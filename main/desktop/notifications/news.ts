import type { DesktopState, PendingApprovalInfo, Settings } from '../../../preload/contract.ts';
import { questionOf } from '../../../preload/format.ts';
import { sentences } from '../../platform/errors.ts';
import { beginningOf, isShownWhole } from '../approvals/shown-approval.ts';
import { danglingProblem, isSignedOut } from '../attention.ts';
import type { TrayAction } from '../tray/tray-action.ts';
import { strings } from './strings.ts';

/** The setting that turns a kind of notification off. */
type NotificationSetting = Extract<keyof Settings, `notify${string}`>;

/** A notification, as data. */
export interface News {
  /** What it is about: the same for the same thing, even after a restart. */
  key: string;
  setting: NotificationSetting;
  title: string;
  body: string;
  /** What a click on it does. */
  action: TrayAction;
  /** Buttons, if the system draws any. */
  buttons: { label: string; action: TrayAction }[];
}

/** What has to change on the screen. */
interface NewsChange {
  shown: News[];
  /** Keys of notifications that are about nothing any more. */
  withdrawn: string[];
}

interface NewsMemory {
  /** The keys that were notified before, in an earlier run too. */
  notified?: readonly string[] | undefined;
  /** Keeps those that outlive this run. */
  keep?(notified: string[]): void;
}

/** Derives notifications from one state to the next. None is repeated before it is resolved, not even after a restart. */
export class NewsSource {
  readonly #notified: Set<string>;
  readonly #keep: (notified: string[]) => void;

  constructor({ notified = [], keep = () => undefined }: NewsMemory = {}) {
    this.#notified = new Set(notified);
    this.#keep = keep;
  }

  /** @param isSeen whether the window is in sight, which shows all of it but calls that wait */
  next(state: DesktopState, isSeen: boolean): NewsChange {
    const found = newsIn(state);
    const withdrawn = this.#resolved(state, found);
    for (const key of withdrawn) this.#notified.delete(key);
    const added = found.filter(({ key }) => !this.#notified.has(key));
    for (const { key } of added) this.#notified.add(key);
    if (withdrawn.some(isLasting) || added.some(({ key }) => isLasting(key))) {
      this.#keep([...this.#notified].filter(isLasting));
    }
    return { shown: added.filter(({ setting }) => !isSeen || !SHOWN_IN_WINDOW.has(setting)), withdrawn };
  }

  /** Only what is certainly resolved may be notified again; nothing is while the workspace is being asked. */
  #resolved({ warehouse }: DesktopState, found: readonly News[]): string[] {
    const isFound = (key: string) => found.some((news) => news.key === key);
    const profile =
      warehouse.status === 'known' && warehouse.lastFailure === null ? warehouse.effective.profile : undefined;
    return [...this.#notified].filter((key) => {
      if (isFound(key)) return false;
      if (key.startsWith(CALL)) return true;
      if (key.startsWith(UPDATE)) return found.some((news) => news.key.startsWith(UPDATE));
      return profile !== undefined && (key === signedOutKey(profile) || key.startsWith(danglingKey(profile, '')));
    });
  }
}

/** The window says so on every screen, other than that an update is ready. */
const SHOWN_IN_WINDOW: ReadonlySet<NotificationSetting> = new Set(['notifySignedOut', 'notifyOverride']);

const CALL = 'call ';
const UPDATE = 'update ';

/** Calls are numbered anew in each run. */
const isLasting = (key: string) => !key.startsWith(CALL);

const signedOutKey = (profile: string) => `signed out of ${profile}`;
const danglingKey = (profile: string, warehouseId: string) => `dangling in ${profile}: ${warehouseId}`;

function newsIn(state: DesktopState): News[] {
  return [...state.approvals.map(approvalNews), ...signedOutNews(state), ...danglingNews(state), ...updateNews(state)];
}

function signedOutNews(state: DesktopState): News[] {
  const { profile, firstRun } = state;
  // The first run leads to the sign-in itself.
  if (profile === null || firstRun !== null || !isSignedOut(state)) return [];
  const action = { do: 'sign-in-to', profile } as const;
  return [
    {
      key: signedOutKey(profile),
      setting: 'notifySignedOut',
      title: strings.signedOut(profile),
      body: strings.signedOutBody,
      action,
      buttons: [{ label: strings.signIn, action }],
    },
  ];
}

function danglingNews(state: DesktopState): News[] {
  const problem = danglingProblem(state);
  if (problem === null || state.warehouse.status !== 'known') return [];
  const { effective } = state.warehouse;
  const action = { do: 'open', screen: 'warehouse' } as const;
  return [
    {
      key: danglingKey(effective.profile, effective.override?.warehouseId ?? ''),
      setting: 'notifyOverride',
      title: strings.dangling,
      body: sentences(problem.message, problem.remedy),
      action,
      buttons: [{ label: strings.changeWarehouse, action }],
    },
  ];
}

function updateNews({ update }: DesktopState): News[] {
  if (update.status !== 'ready') return [];
  return [
    {
      key: `${UPDATE}${update.version}`,
      setting: 'notifyUpdates',
      title: strings.updateReady(update.version),
      body: strings.updateReadyBody,
      // A click may be a mistake, and a restart ends what runs: only the button restarts.
      action: { do: 'open', screen: 'settings', item: 'updates' },
      buttons: [{ label: strings.restart, action: { do: 'restart-to-update' } }],
    },
  ];
}

/**
 * What some systems take for markup in a notification, and others show as it is (Desktop Notifications Specification › Markup): a
 * call that has it is shown in the window only, letter for letter.
 */
const MARKUP = /[<>&]/;

function approvalNews(call: PendingApprovalInfo): News {
  const beginning = beginningOf(call);
  const shown = MARKUP.test(beginning) ? '' : beginning;
  const answer = (label: string, answer: 'allow' | 'block') => ({
    label,
    action: { do: 'answer-call', id: call.id, answer } as const,
  });
  const action = { do: 'review-calls' } as const;
  return {
    key: `${CALL}${call.id}`,
    setting: 'notifyApprovals',
    title: questionOf(call),
    body: shown === '' ? strings.approvalShort(call.server) : strings.approvalBody(shown, call.server),
    action,
    buttons: [
      isShownWhole(call) && shown === beginning
        ? answer(strings.allowOnce, 'allow')
        : { label: strings.review, action },
      answer(strings.block, 'block'),
    ],
  };
}
