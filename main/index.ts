import { join } from 'node:path';
import { app, clipboard, type IpcMainInvokeEvent, Menu, nativeTheme, powerMonitor, session, shell } from 'electron';
import ElectronStore from 'electron-store';
import type { Problem, ScreenName } from '../preload/contract.ts';
import { createCauseway } from './app/causeway.ts';
import type { SignInOptions } from './auth/auth.ts';
import { ApprovalWindow } from './desktop/approvals/approval-window.ts';
import { chromiumSwitches } from './desktop/chromium.ts';
import { restartAfterCrash, WINDOW_BROKE, wordsAfterCrash } from './desktop/crash-watch.ts';
import { createDesktop } from './desktop/desktop.ts';
import { closingOnce, opensWindowAtStart } from './desktop/lifecycle.ts';
import { openLog, takeOverConsole } from './desktop/log.ts';
import { applicationMenu, menuTemplate } from './desktop/menu/application-menu.ts';
import { showLauncherMenus } from './desktop/menu/launcher.ts';
import { createMenuCommands } from './desktop/menu/menu-command.ts';
import { projectAddresses } from './desktop/menu/project.ts';
import { NewsSource } from './desktop/notifications/news.ts';
import { notify, showNews, showTrouble, withdraw } from './desktop/notifications/notification.ts';
import { quitCleanly } from './desktop/quit.ts';
import { loginItem } from './desktop/settings/login-item.ts';
import { SettingsStore } from './desktop/settings/settings-store.ts';
import { comesFromBrowser, userChangeQuestion } from './desktop/sign-in-steps.ts';
import { watchPanel } from './desktop/tray/panel-watch.ts';
import { CausewayTray } from './desktop/tray/tray.ts';
import { createTrayActions } from './desktop/tray/tray-action.ts';
import { openElectronUpdates } from './desktop/updates/electron-updates.ts';
import { installedUpdates } from './desktop/updates/installed-updates.ts';
import { isSystemPackage, updateCommand } from './desktop/updates/package-type.ts';
import { updateBlocker } from './desktop/updates/updates.ts';
import { registerAppScheme, serveAppFiles } from './desktop/window/app-protocol.ts';
import { askPerson, chooseFileToOpen, chooseFileToSave, chooseFolder } from './desktop/window/dialogs.ts';
import { sendEvent, serveRequests } from './desktop/window/ipc.ts';
import { lockDown, openInClient, openInSystemBrowser } from './desktop/window/lockdown.ts';
import { LINK_SCHEME, linkIn, screenOfLink } from './desktop/window/navigation.ts';
import { releaseMemoryLater } from './desktop/window/release-memory.ts';
import { MainWindow } from './desktop/window/window.ts';
import { currentPolicy } from './permissions/policy/system-policy.ts';
import { sentences } from './platform/errors.ts';

/** How long closing may take, the answers in flight to proxies included, before the application exits anyway. */
const CLOSE_TIMEOUT_MS = 10_000;

registerAppScheme();
for (const { name, value } of chromiumSwitches(process.platform)) app.commandLine.appendSwitch(name, value);
// The fuses shut Node's debugger out of the installed application; this is Chromium's.
if (app.isPackaged) for (const kind of ['port', 'pipe']) app.commandLine.removeSwitch(`remote-debugging-${kind}`);

/** A link that arrives before the application is ready: macOS sends it as an early event. */
let earlyLink = linkIn(process.argv);
let followLink = (link: string): void => {
  earlyLink = link;
};
app.on('open-url', (event, link) => {
  event.preventDefault();
  followLink(link);
});

if (app.requestSingleInstanceLock()) void app.whenReady().then(startManaged);
else app.quit();

/** Called when a panel appears after the tray icon was created. */
let showInPanel = (): void => undefined;

/** The settings are read under the organization's policy. */
async function startManaged(): Promise<void> {
  await Promise.all([currentPolicy(), watchPanel(process.env, () => showInPanel())]);
  start();
}

function start(): void {
  const { env, argv } = process;
  const settings = new SettingsStore({
    env,
    openFile: (name, options) => new ElectronStore<Record<string, unknown>>({ name, ...options }),
    oldFile: join(app.getPath('userData'), 'desktop.json'),
  });
  const log = openLog(env, settings.current.logLevel);
  takeOverConsole(log);
  restartAfterCrash();
  lockDown();
  serveAppFiles();
  nativeTheme.themeSource = settings.current.appearance;

  const closeForUpdate = async () => {
    await close();
    // The new version starts before this process has ended.
    app.releaseSingleInstanceLock();
  };
  const login = loginItem(env);
  const blocker = updateBlocker(app.isPackaged, process.platform, env);
  const systemProxies = (origin: string) => session.defaultSession.resolveProxy(origin);
  const quitForGood = () => void login.set(false).finally(() => app.quit());
  const confirmChange: SignInOptions['confirmChange'] = async (change, beforeQuestion) => {
    await beforeQuestion();
    return askPerson(userChangeQuestion(change));
  };
  const causeway = createCauseway({
    env,
    openBrowser: openInSystemBrowser,
    systemProxies,
    onQuit: quitForGood,
    confirmChange,
    takesOnlyProfile: true,
  });
  const window = new MainWindow(settings, {
    onWatched: (watched) => model.watch(watched),
    onReloaded: () => model.show({ failedAction: WINDOW_BROKE }),
  });
  const approvalWindow = new ApprovalWindow(() => giveMemoryBack());
  const giveMemoryBack = () => releaseMemoryLater(() => window.current === undefined);
  const desktop = createDesktop({
    causeway,
    env,
    settings,
    shell: {
      openInBrowser: async (address) => (await causeway.auth()).openBrowser(address),
      openInClient,
      copy: (text) => clipboard.writeText(text),
      chooseFileToSave,
      chooseFileToOpen,
      chooseFolder,
      showFolder: async (folder) => void (await shell.openPath(folder)),
      loginItem: login,
      updates: {
        blocker,
        command: updateCommand(process.resourcesPath),
        ...(blocker === 'package-manager' ? installedUpdates() : { openSource: openElectronUpdates }),
      },
      closeForUpdate,
      quit: () => app.quit(),
      reviewCalls: () => approvalWindow.review(),
      versions: process.versions,
    },
    onEvent: (name, payload) => {
      if (window.current) sendEvent(window.current, name, payload);
    },
  });
  const { model } = desktop;
  const open = (screen?: ScreenName, item?: string) => {
    // A page that is still loading hears nothing.
    if (screen) window.whenLoaded((shown) => sendEvent(shown, 'screenWanted', { screen, item: item ?? null }));
    window.open(screen, item);
  };
  followLink = (link) => open(screenOfLink(link));
  /** Answers what the user has asked for: by a notification, or else by opening the screen. */
  const answer = (title: string, { message, remedy }: Omit<Problem, 'code'>, screen: ScreenName) => {
    const body = sentences(message, remedy);
    const isShown = settings.current.notifications && notify({ title, body, onClick: () => open(screen) });
    if (!isShown) open(screen);
  };
  const act = createTrayActions(model, {
    open,
    quit: () => app.quit(),
    ask: askPerson,
    answerCall: async (call) => void (await desktop.handlers.answerCall(call)),
    reviewCalls: () => approvalWindow.review(),
    signInToService: async (name) => void (await desktop.handlers.signInToService({ name })),
    copyDiagnostics: async () => void (await desktop.handlers.copyDiagnostics(undefined)),
    updates: {
      check: () => desktop.updates.check(),
      download: () => desktop.updates.download(),
      install: () => desktop.updates.install(closeForUpdate),
    },
    tell: answer,
    confirm: (title, message, screen) => answer(title, { message, remedy: null }, screen),
  });
  const tray = new CausewayTray(act, model.state);
  showInPanel = () => tray.showAgain();
  const run = createMenuCommands({ open, act, window });
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(menuTemplate(applicationMenu(process.platform, projectAddresses()), run)),
  );
  const launcher = showLauncherMenus(open);
  const parts = [() => desktop.close(), () => causeway.close(), () => tray.close(), async () => approvalWindow.close()];
  const close = closingOnce(parts, CLOSE_TIMEOUT_MS);

  const isOurs = ({ sender }: IpcMainInvokeEvent) =>
    sender === window.current?.webContents || approvalWindow.owns(sender);
  serveRequests(desktop.handlers, isOurs);
  const news = new NewsSource({ notified: settings.notified, keep: (told) => settings.remember({ told }) });
  let before = model.state;
  model.onChange((state) => {
    if (comesFromBrowser(before.warehouse, state.warehouse)) window.comeForward();
    before = state;
    tray.render(state);
    launcher.render(state);
    approvalWindow.render(state);
    const { shown, withdrawn } = news.next(state, window.isInSight);
    withdraw(withdrawn);
    for (const each of shown) showNews(each, settings.current, act);
    if (state.profile !== null) settings.remember({ profile: state.profile });
  });
  settings.onChange(({ appearance, logLevel }) => {
    nativeTheme.themeSource = appearance;
    log.setLevel(logLevel);
  });

  const isClosing = quitCleanly(close);
  app.on('second-instance', (_event, args) => {
    if (isClosing()) return;
    const link = linkIn(args);
    if (link !== undefined) followLink(link);
    else if (opensWindowAtStart(args, true)) open();
  });
  app.on('activate', () => open());
  // Without a listener Electron quits with the last window: Causeway stays in the tray.
  app.on('window-all-closed', giveMemoryBack);
  powerMonitor.on('suspend', () => desktop.suspend());
  powerMonitor.on('resume', () => desktop.lookAgain());
  // A locked screen hides the window.
  powerMonitor.on('lock-screen', () => model.watch(false));
  powerMonitor.on('unlock-screen', () => model.watch(window.isVisible));

  if (earlyLink !== undefined) followLink(earlyLink);
  else if (opensWindowAtStart(argv, settings.current.openWindow)) open();
  if (settings.problem) showTrouble(settings.problem, () => open('settings'));
  const crash = wordsAfterCrash(argv, log.folder);
  void desktop.start(settings.profile).then(() => {
    if (crash) model.show({ failedAction: crash });
    registerLinks();
  });
}

/**
 * Makes links open this copy. The menu entry of a system's package has the scheme already, and what is chosen in the user's own
 * settings would outlive the package. Linux runs a script for it and waits: the tray comes first.
 */
function registerLinks(): void {
  if (app.isPackaged && !isSystemPackage(process.resourcesPath)) app.setAsDefaultProtocolClient(LINK_SCHEME);
}
