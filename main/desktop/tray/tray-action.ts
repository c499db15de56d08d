import { stopQuestion } from '../../../preload/contract/words/warehouse.ts';
import type { Problem, ScreenName, UpdateState } from '../../../preload/contract.ts';
import type { WarehouseService } from '../../app/causeway.ts';
import { CausewayError } from '../../platform/errors.ts';
import { notSignedIn } from '../accounts.ts';
import { problemFor } from '../failure.ts';
import type { DesktopModel } from '../model.ts';
import { strings } from './strings.ts';

const { done, failed } = strings;

/** What a click in the tray's menu can do, and with what. */
interface TrayActions {
  /** `item` is one thing on the screen. */
  open: { screen: ScreenName; item?: string };
  'check-again': object;
  'sign-in': object;
  'sign-in-to': OfProfile;
  /** To what is behind a server of the list, such as GitHub. */
  'sign-in-to-service': { server: string; title: string };
  quit: object;
  'answer-call': { id: number; answer: 'allow' | 'block' };
  'review-calls': object;
  'copy-diagnostics': object;
  'check-for-updates': object;
  'get-update': object;
  'restart-to-update': object;
  'use-warehouse': OfWarehouse;
  'use-last-selected': OfProfile;
  'use-workspace-default': OfProfile;
  'start-warehouse': OfWarehouse;
  'stop-warehouse': OfWarehouse;
}

/** The profile that the menu was drawn for. */
interface OfProfile {
  profile: string;
}

interface OfWarehouse extends OfProfile {
  warehouseId: string;
  name: string;
}

export type TrayAction<Do extends keyof TrayActions = keyof TrayActions> = {
  [Each in Do]: { do: Each } & TrayActions[Each];
}[Do];

/** A confirmation that the user must give before an action. */
export interface TrayQuestion {
  message: string;
  detail: string;
  verb: string;
}

/** What the tray's actions need from the application. */
export interface TrayPorts {
  open(screen: ScreenName, item?: string): void;
  quit(): void;
  ask(question: TrayQuestion): Promise<boolean>;
  copyDiagnostics(): Promise<void>;
  answerCall(call: { id: number; answer: 'allow' | 'block' }): Promise<void>;
  /** Brings the window with the calls that wait to the front. */
  reviewCalls(): void;
  /** Shows the page on which the user signs in to what is behind a server. */
  signInToService(server: string): Promise<void>;
  updates: { check(): Promise<void>; download(): Promise<void>; install(): Promise<void> };
  /** Confirms that an action is done; the screen shows the details. */
  confirm(title: string, message: string, screen: ScreenName): void;
  /** Shows a failure to the user; a click opens that screen. */
  tell(title: string, problem: Problem, screen: ScreenName): void;
}

/** Runs the tray's actions. A failure is shown, and stays in the window until it is dismissed. */
export function createTrayActions(model: DesktopModel, ports: TrayPorts): (action: TrayAction) => Promise<void> {
  const tell = (title: string, problem: Problem) => {
    model.show({ failedAction: { title, problem } });
    ports.tell(title, problem, 'warehouse');
  };

  const attempt = async (title: string, work: () => Promise<void>) => {
    model.show({ failedAction: null });
    try {
      await work();
    } catch (error) {
      if (!(error instanceof CausewayError)) console.error(title, error);
      tell(title, problemFor(error));
    }
  };

  const tellIfSignedOut = () => {
    const { warehouse } = model.state;
    if (warehouse.status !== 'failed') return;
    const { problem } = warehouse.failure;
    // The user has cancelled it and needs no notification.
    if (problem.code !== 'sign_in_cancelled') ports.tell(failed.signedOut, problem, 'warehouse');
  };

  const change = (title: string, { profile }: OfProfile, work: (warehouses: WarehouseService) => Promise<unknown>) =>
    attempt(title, () => model.change(profile, work));

  const run: { [Do in keyof TrayActions]: (action: TrayAction<Do>) => Promise<void> | void } = {
    open: ({ screen, item }) => ports.open(screen, item),
    quit: () => ports.quit(),
    'check-again': () => model.checkAgain(),
    'sign-in': async () => {
      await model.signIn();
      tellIfSignedOut();
    },
    'sign-in-to': ({ profile }) =>
      attempt(notSignedIn(profile), async () => {
        await model.signInTo(profile);
        if (model.state.profile === profile) tellIfSignedOut();
      }),
    'answer-call': ({ id, answer }) => attempt(failed.answer, () => ports.answerCall({ id, answer })),
    'review-calls': () => ports.reviewCalls(),
    'sign-in-to-service': ({ server, title }) =>
      attempt(failed.signedOutOf(title), () => ports.signInToService(server)),
    'copy-diagnostics': () =>
      attempt(failed.report, async () => {
        await ports.copyDiagnostics();
        ports.confirm(done.reportTitle, done.report, 'diagnostics');
      }),
    'check-for-updates': () =>
      attempt(failed.update, async () => {
        await ports.updates.check();
        showUpdate(model.state.update, ports);
      }),
    'get-update': () => attempt(failed.update, () => ports.updates.download()),
    'restart-to-update': () => attempt(failed.update, () => ports.updates.install()),
    'use-warehouse': (action) =>
      change(failed.use(action.name), action, (warehouses) =>
        warehouses.change('me', { type: 'CUSTOM', warehouseId: action.warehouseId }),
      ),
    'use-last-selected': (action) =>
      change(failed.followLast, action, (warehouses) => warehouses.change('me', { type: 'LAST_SELECTED' })),
    'use-workspace-default': (action) =>
      change(failed.useDefault, action, (warehouses) => warehouses.change('me', { type: 'NONE' })),
    'start-warehouse': (action) =>
      change(failed.start(action.name), action, (warehouses) => warehouses.start(action.warehouseId)),
    'stop-warehouse': async (action) => {
      const { title, consequence: detail, verb } = stopQuestion;
      if (!(await ports.ask({ message: title(action.name), detail, verb }))) return;
      await change(failed.stop(action.name), action, (warehouses) => warehouses.stop(action.warehouseId));
    },
  };
  const act = <Do extends keyof TrayActions>(action: TrayAction<Do>) => run[action.do](action);
  return async (action) => act(action);
}

/** What a check for updates that the user asked for has found. */
function showUpdate(update: UpdateState, ports: TrayPorts): void {
  if (update.status === 'failed') ports.tell(done.updates, update.problem, 'settings');
  else if (update.status === 'idle') ports.confirm(done.updates, done.newest, 'settings');
  else if (update.status === 'available' || update.status === 'ready')
    ports.confirm(done.updates, done[update.status](update.version), 'settings');
  // The screen says how this copy is updated, or how far it has come.
  else ports.open('settings', 'updates');
}
