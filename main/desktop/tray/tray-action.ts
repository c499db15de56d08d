import { stopQuestion } from '../../../preload/contract/words/warehouse.ts';
import type { Problem, ScreenName } from '../../../preload/contract.ts';
import { CausewayError } from '../../platform/errors.ts';
import { notSignedIn } from '../accounts.ts';
import { problemFor } from '../failure.ts';
import type { DesktopModel } from '../model.ts';
import { strings } from './strings.ts';

const { done, failed } = strings;

/** What a click in the tray's menu does. An action that changes something names the profile that the menu was drawn for. */
export type TrayAction =
  /** `item` is one thing on the screen. */
  | { do: 'open'; screen: ScreenName; item?: string }
  | { do: 'check-again' }
  | { do: 'sign-in' }
  | { do: 'sign-in-to'; profile: string }
  /** To what is behind a server of the list, such as GitHub. */
  | { do: 'sign-in-to-service'; server: string; title: string }
  | { do: 'quit' }
  | { do: 'answer-call'; id: number; answer: 'allow' | 'block' }
  | { do: 'review-calls' }
  | { do: 'copy-diagnostics' }
  | { do: 'check-for-updates' }
  | { do: 'get-update' }
  | { do: 'restart-to-update' }
  | { do: 'use-warehouse'; profile: string; warehouseId: string; name: string }
  | { do: 'use-last-selected'; profile: string }
  | { do: 'use-workspace-default'; profile: string }
  | { do: 'start-warehouse'; profile: string; warehouseId: string; name: string }
  | { do: 'stop-warehouse'; profile: string; warehouseId: string; name: string };

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

  const signInTo = (profile: string) =>
    attempt(notSignedIn(profile), async () => {
      await model.signInTo(profile);
      if (model.state.profile === profile) tellIfSignedOut();
    });

  const checkForUpdates = async () => {
    await ports.updates.check();
    const { update } = model.state;
    switch (update.status) {
      case 'failed':
        return ports.tell(done.updates, update.problem, 'settings');
      case 'idle':
        return ports.confirm(done.updates, done.newest, 'settings');
      case 'available':
        return ports.confirm(done.updates, done.available(update.version), 'settings');
      case 'ready':
        return ports.confirm(done.updates, done.ready(update.version), 'settings');
      default:
        // The screen says how this copy is updated, or how far it has come.
        return ports.open('settings', 'updates');
    }
  };

  return async (action) => {
    switch (action.do) {
      case 'open':
        return ports.open(action.screen, action.item);
      case 'quit':
        return ports.quit();
      case 'check-again':
        return model.checkAgain();
      case 'sign-in':
        await model.signIn();
        return tellIfSignedOut();
      case 'sign-in-to':
        return signInTo(action.profile);
      case 'answer-call':
        return attempt(failed.answer, () => ports.answerCall({ id: action.id, answer: action.answer }));
      case 'review-calls':
        return ports.reviewCalls();
      case 'sign-in-to-service':
        return attempt(failed.signedOutOf(action.title), () => ports.signInToService(action.server));
      case 'copy-diagnostics':
        return attempt(failed.report, async () => {
          await ports.copyDiagnostics();
          ports.confirm(done.reportTitle, done.report, 'diagnostics');
        });
      case 'check-for-updates':
        return attempt(failed.update, checkForUpdates);
      case 'get-update':
        return attempt(failed.update, () => ports.updates.download());
      case 'restart-to-update':
        return attempt(failed.update, () => ports.updates.install());
      case 'use-warehouse':
        return attempt(failed.use(action.name), () =>
          model.change(action.profile, (warehouses) =>
            warehouses.change('me', { type: 'CUSTOM', warehouseId: action.warehouseId }),
          ),
        );
      case 'use-last-selected':
        return attempt(failed.followLast, () =>
          model.change(action.profile, (warehouses) => warehouses.change('me', { type: 'LAST_SELECTED' })),
        );
      case 'use-workspace-default':
        return attempt(failed.useDefault, () =>
          model.change(action.profile, (warehouses) => warehouses.change('me', { type: 'NONE' })),
        );
      case 'start-warehouse':
        return attempt(failed.start(action.name), () =>
          model.change(action.profile, (warehouses) => warehouses.start(action.warehouseId)),
        );
      case 'stop-warehouse':
        if (
          !(await ports.ask({
            message: stopQuestion.title(action.name),
            detail: stopQuestion.consequence,
            verb: stopQuestion.verb,
          }))
        )
          return;
        return attempt(failed.stop(action.name), () =>
          model.change(action.profile, (warehouses) => warehouses.stop(action.warehouseId)),
        );
    }
  };
}
