import type { DesktopState, PendingApprovalInfo, Settings } from '../../../preload/contract.ts';
import { sentences } from '../../platform/errors.ts';
import { danglingProblem, isSignedOut } from '../attention.ts';
import { beginningOf, questionOf } from '../rules.ts';
import type { TrayAction } from '../tray/tray-action.ts';
import { strings } from './strings.ts';

/** The setting that turns a kind of notification off. */
type NotificationSetting = Extract<keyof Settings, `notify${string}`>;

/** A notification, as data. */
export interface News {
  setting: NotificationSetting;
  title: string;
  body: string;
  /** What a click on it does. */
  action: TrayAction;
  /** Buttons, if the system draws any. */
  buttons: { label: string; action: TrayAction }[];
}

/** Derives notifications from one state to the next. None is repeated before it is resolved. */
export class NewsSource {
  readonly #told = new Set<string>();

  /** @param isSeen whether the window is in sight, which shows all of it but calls that wait */
  next(state: DesktopState, isSeen: boolean): News[] {
    this.#forgetResolved(state);
    const news = [
      ...state.approvals.map((call) => ({ key: `call ${call.id}`, news: approvalNews(call), isSeen: false })),
      ...signedOutNews(state).map((each) => ({ ...each, isSeen })),
      ...danglingNews(state).map((each) => ({ ...each, isSeen })),
      // The window says so in one corner of the Settings, so it does not count as seen.
      ...updateNews(state).map((each) => ({ ...each, isSeen: false })),
    ];
    return news.flatMap(({ key, news: found, isSeen: alreadySeen }) => {
      if (this.#told.has(key)) return [];
      this.#told.add(key);
      return alreadySeen ? [] : [found];
    });
  }

  /** Only what is certainly resolved may be notified again; nothing is while the workspace is being asked. */
  #forgetResolved(state: DesktopState): void {
    const { warehouse, approvals } = state;
    for (const key of this.#told) {
      const isAnswered = key.startsWith('call ') && !approvals.some(({ id }) => key === `call ${id}`);
      if (isAnswered) this.#told.delete(key);
    }
    if (warehouse.status !== 'known' || warehouse.lastFailure !== null) return;
    const { profile } = warehouse.effective;
    this.#told.delete(signedOutKey(profile));
    const [dangling] = danglingNews(state);
    for (const key of this.#told) {
      if (key.startsWith(danglingKey(profile, '')) && key !== dangling?.key) this.#told.delete(key);
    }
  }
}

interface KeyedNews {
  key: string;
  news: News;
}

const signedOutKey = (profile: string) => `signed out of ${profile}`;
const danglingKey = (profile: string, warehouseId: string) => `dangling in ${profile}: ${warehouseId}`;

function signedOutNews(state: DesktopState): KeyedNews[] {
  const { profile } = state;
  if (profile === null || !isSignedOut(state)) return [];
  const action = { do: 'sign-in-to', profile } as const;
  return [
    {
      key: signedOutKey(profile),
      news: {
        setting: 'notifySignedOut',
        title: strings.signedOut(profile),
        body: strings.signedOutBody,
        action,
        buttons: [{ label: strings.signIn, action }],
      },
    },
  ];
}

function danglingNews(state: DesktopState): KeyedNews[] {
  const problem = danglingProblem(state);
  if (problem === null || state.warehouse.status !== 'known') return [];
  const { effective } = state.warehouse;
  const action = { do: 'open', screen: 'warehouse' } as const;
  return [
    {
      key: danglingKey(effective.profile, effective.override?.warehouseId ?? ''),
      news: {
        setting: 'notifyOverride',
        title: strings.dangling,
        body: sentences(problem.message, problem.remedy),
        action,
        buttons: [{ label: strings.changeWarehouse, action }],
      },
    },
  ];
}

function updateNews({ update }: DesktopState): KeyedNews[] {
  if (update.status !== 'ready') return [];
  return [
    {
      key: `update ${update.version}`,
      news: {
        setting: 'notifyUpdates',
        title: strings.updateReady(update.version),
        body: strings.updateReadyBody,
        // A click may be a mistake, and a restart ends what runs: only the button restarts.
        action: { do: 'open', screen: 'settings' },
        buttons: [{ label: strings.restart, action: { do: 'restart-to-update' } }],
      },
    },
  ];
}

function approvalNews(call: PendingApprovalInfo): News {
  const beginning = beginningOf(call);
  const answer = (label: string, answer: 'once' | 'refuse') => ({
    label,
    action: { do: 'answer-call', id: call.id, answer } as const,
  });
  return {
    setting: 'notifyApprovals',
    title: questionOf(call),
    body: beginning === '' ? strings.approvalShort(call.server) : strings.approvalBody(beginning, call.server),
    action: { do: 'open', screen: 'warehouse' },
    buttons: isShownWhole(call, beginning)
      ? [answer(strings.allowOnce, 'once'), answer(strings.refuse, 'refuse')]
      : [answer(strings.refuse, 'refuse')],
  };
}

/** Only a call that is shown whole may be allowed from a notification. */
function isShownWhole({ statement, arguments: rest, cut }: PendingApprovalInfo, beginning: string): boolean {
  return cut === 0 && !beginning.endsWith('…') && (statement === null || rest === null);
}
