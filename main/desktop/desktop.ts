import { isDeepStrictEqual } from 'node:util';
import { activityFile } from '../activity/open-store.ts';
import { onStoredEvent } from '../activity/record-events.ts';
import type { Causeway } from '../app/causeway.ts';
import { rememberStalls } from '../app/diagnosis/stalls.ts';
import { StatementLookUps } from '../app/statement-look-ups.ts';
import type { AuthEvent } from '../auth/auth.ts';
import { approvalWaits } from '../clients/approval-waits.ts';
import type { HubWatcher } from '../hub/session-log.ts';
import type { HubCall } from '../hub/session-record.ts';
import { ApprovalQueue } from '../permissions/approvals.ts';
import { PermissionsFile } from '../permissions/permissions-file.ts';
import { watchSystem } from '../platform/system-watch.ts';
import { ActivityLog } from './activity/activity.ts';
import { approvalEvent, overrideEvent } from './activity/changes.ts';
import { attachedProxies, serveProxies } from './activity/proxies.ts';
import { allowanceForWindow, approvalForWindow } from './approvals/shown-approval.ts';
import type { DesktopContext, Shell } from './context.ts';
import { beginFirstRun } from './first-run.ts';
import { Jobs } from './jobs.ts';
import { watchPolicy } from './managed.ts';
import { DesktopModel } from './model.ts';
import { desktopLauncher } from './open-clients.ts';
import { ACTIVITY_THREAD } from './places.ts';
import { createRequestHandlers, type RequestHandlers } from './requests.ts';
import { DesktopServers } from './servers/servers.ts';
import { settingsPort } from './settings/handlers.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import { UpdateService } from './updates/updates.ts';
import { OverrideHistory } from './warehouse/override-history.ts';
import { SeenCalls } from './warehouse/seen-calls.ts';

export interface DesktopOptions {
  causeway: Causeway;
  env: NodeJS.ProcessEnv;
  settings: SettingsStore;
  shell: Shell;
  /** Receives every event of the contract, and passes it to the window if there is one. */
  onEvent: DesktopContext['emit'];
}

/** Everything behind tray and window, without Electron: the application and the browser tests are both built on this. */
export interface Desktop {
  model: DesktopModel;
  updates: UpdateService;
  activity: ActivityLog;
  handlers: RequestHandlers;
  /** Starts to serve proxies and opens a profile: the one that was open last, if it still exists. */
  start(remembered: string | undefined): Promise<void>;
  /** Pauses health checks while the computer sleeps. */
  suspend(): void;
  /** Checks everything again: the computer has slept, its clock was set or its network has changed. */
  lookAgain(): void;
  /** Ends all work. Waits a limited time for the answers in flight to proxies. */
  close(): Promise<void>;
}

export function createDesktop({ causeway, env, settings, shell, onEvent }: DesktopOptions): Desktop {
  const model = new DesktopModel(causeway);
  const updates = new UpdateService({ ...shell.updates, settings, show: (state) => model.show({ update: state }) });
  const closers: (() => void)[] = [];
  const onClose = (close: () => void) => void closers.push(close);
  const activity = new ActivityLog({
    emit: onEvent,
    show: (recording) => model.show({ recording }),
    store: {
      program: ACTIVITY_THREAD,
      path: activityFile(env),
      days: () => Number(settings.current.activityDays),
    },
  });
  settings.onChange((now, before) => {
    if (now.activityDays !== before.activityDays) void activity.expire();
  });
  const seenCalls = new SeenCalls({ env, readAgain: () => model.lookAgain() });
  const lookUps = new StatementLookUps({
    historyOf: (profile) => causeway.statementHistory(profile),
    onLookedUp: (...found) => {
      const call = activity.lookedUp(...found);
      if (call) void seenCalls.saw(call);
    },
  });
  onClose(() => lookUps.close());
  const lookUp = (profile: string | undefined, id: string) => lookUps.add(profile, id);
  activity.lookUp = settings.current.lookUpStatements ? lookUp : undefined;
  const history = new OverrideHistory(env, async (profile) => {
    onEvent('overrideHistoryChanged', { profile });
    const [change] = await history.of(profile);
    const elsewhere = change && overrideEvent(profile, change);
    if (elsewhere) activity.note(elsewhere);
  });
  model.onOverrideRead((effective, by) => {
    seenCalls.read(effective);
    void history.saw(effective, by);
  });
  const servers = new DesktopServers({
    causeway,
    env,
    model,
    keep: settings.current.keepServersWarm,
    onUsage: (usage) => onEvent('serverUsageChanged', usage),
  });
  settings.onChange(({ keepServersWarm, lookUpStatements }) => {
    void servers.keep(keepServersWarm);
    activity.lookUp = lookUpStatements ? lookUp : undefined;
  });
  const approvals = new ApprovalQueue({
    waits: approvalWaits,
    onAnswered: (approval, answer) => activity.note(approvalEvent(approval, answer)),
  });
  approvals.subscribe((pending) =>
    model.show({
      approvals: pending.map((waiting) => approvalForWindow(waiting, model.state)),
      allowances: approvals.allowances.map((allowance) => allowanceForWindow(allowance, model.state.servers)),
    }),
  );
  const context: DesktopContext = {
    causeway,
    env,
    model,
    settings,
    updates,
    activity,
    servers,
    history,
    permissions: new PermissionsFile(env),
    approvals,
    shell,
    jobs: new Jobs(),
    emit: onEvent,
    onClose,
  };
  const handlers = createRequestHandlers(context);
  let endProxies = async (): Promise<void> => {};
  let endWatch = (): void => {};
  const lookAgain = () => {
    void servers.resume();
    activity.recording.lookAtClock();
    model.lookAgain();
  };
  model.onChange((state) => onEvent('stateChanged', state));
  return {
    model,
    updates,
    activity,
    handlers,
    suspend: () => void servers.suspend(),
    lookAgain,
    start: async (remembered) => {
      // An update may have moved the executable that clients start. If not, entries show as broken.
      void desktopLauncher(env)
        .keepCurrent()
        .catch(() => undefined);
      await beginFirstRun(model, settings, env);
      updates.start();
      onClose(watchPolicy((managed) => model.show({ managed })));
      onClose(onStoredEvent(env, (event) => activity.note(event)));
      endWatch = watchSystem(lookAgain);
      const titleOf = ({ profile, path }: Pick<HubCall, 'profile' | 'path'>) =>
        model.state.servers.find(
          (server) => server.path === path && (profile === undefined || server.profile === profile),
        )?.title ?? null;
      const watcher: HubWatcher = {
        onSessions: (sessions) => {
          const proxies = attachedProxies(sessions);
          // The hub reports sessions with each call.
          if (!isDeepStrictEqual(proxies, model.state.proxies)) model.show({ proxies });
          activity.showSessions(sessions);
        },
        onCall: (call) => {
          activity.add(call, titleOf(call));
          servers.called(call);
        },
        recentCalls: (choice) => activity.recent(choice),
        onOverrideChanged: (host) => model.commandChanged(host),
        get recorder() {
          return activity.recording.recorder;
        },
      };
      endProxies = serveProxies(causeway, watcher, { approvals, settings: settingsPort(context) });
      onClose(rememberStalls(env, ({ ms }) => console.warn(`The main thread stood still for ${ms} ms.`)));
      void causeway.auth().then(
        (auth) =>
          onClose(
            auth.subscribe((event) => {
              showNotKept(model, event);
              followSignIn(model, event);
            }),
          ),
        () => undefined,
      );
      await Promise.all([model.start(remembered), servers.start()]);
    },
    close: async () => {
      endWatch();
      updates.close();
      for (const close of closers) close();
      // The answers in flight take time: the rest closes meanwhile.
      await Promise.all([endProxies(), servers.close(), model.close()]);
      await activity.end();
    },
  };
}

/** Shows what the open profile's new user sees, whichever process they have signed in with. */
function followSignIn(model: DesktopModel, event: AuthEvent): void {
  const isChange = event.type === 'signed-in' || event.type === 'signed-out';
  if (isChange && event.profile.name === model.state.profile) model.lookAgain();
}

function showNotKept(model: DesktopModel, event: AuthEvent): void {
  if (event.type !== 'not-kept') return;
  const { message, remedy, profile } = event;
  const title = `Your sign-in to ${profile.name} is not stored`;
  model.show({ failedAction: { title, problem: { code: 'file_not_writable', message, remedy } } });
}
