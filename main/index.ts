import { app, Menu, powerMonitor } from 'electron';
import type { ScreenName } from '../preload/contract.ts';
import { createCauseway } from './causeway.ts';
import { Accounts } from './desktop/accounts.ts';
import { registerAppScheme, serveAppFiles } from './desktop/app-protocol.ts';
import { applicationMenu } from './desktop/application-menu.ts';
import { clientOf } from './desktop/client-process.ts';
import { sendEvent, serveRequests } from './desktop/ipc.ts';
import { lockDown, openInBrowser } from './desktop/lockdown.ts';
import { DesktopModel } from './desktop/model.ts';
import { notifyOrOpen } from './desktop/notification.ts';
import { createProxyList, serveProxies } from './desktop/proxies.ts';
import { askPerson } from './desktop/question.ts';
import { quitCleanly } from './desktop/quit.ts';
import { createRequestHandlers } from './desktop/requests.ts';
import { SettingsFile } from './desktop/settings.ts';
import { opensWindowAtStart } from './desktop/start-up.ts';
import { CausewayTray } from './desktop/tray.ts';
import { createTrayActions } from './desktop/tray-action.ts';
import { MainWindow } from './desktop/window.ts';

registerAppScheme();

if (app.requestSingleInstanceLock()) void app.whenReady().then(start);
else app.quit();

function start(): void {
  lockDown();
  serveAppFiles();
  Menu.setApplicationMenu(Menu.buildFromTemplate(applicationMenu(process.platform)));

  const settings = new SettingsFile();
  const causeway = createCauseway({ env: process.env, openBrowser: openInBrowser });
  const model = new DesktopModel(causeway);
  const window = new MainWindow(settings, { onWatched: (watched) => model.watch(watched) });
  const open = (screen?: ScreenName) => {
    if (window.current && screen) sendEvent(window.current, 'screenWanted', { screen });
    window.open(screen);
  };
  const act = createTrayActions(model, {
    open,
    quit: () => app.quit(),
    ask: askPerson,
    tell: (title, problem, screen) => notifyOrOpen(title, problem, () => open(screen)),
  });
  const tray = new CausewayTray(act, model.state);

  serveRequests(
    createRequestHandlers(model, new Accounts(causeway, model)),
    ({ sender }) => sender === window.current?.webContents,
  );
  model.onChange((state) => {
    tray.render(state);
    if (window.current) sendEvent(window.current, 'stateChanged', state);
    if (state.profile !== null) settings.rememberProfile(state.profile);
  });

  app.on('second-instance', () => open());
  app.on('activate', () => open());
  // Without a listener Electron quits with the last window: Causeway stays in the tray.
  app.on('window-all-closed', () => {});
  powerMonitor.on('resume', () => void model.checkAgain());
  const endProxies = serveProxies(causeway, {
    onSessions: createProxyList((proxies) => model.showProxies(proxies), clientOf),
  });
  quitCleanly([() => model.close(), endProxies, () => causeway.close(), () => tray.close()]);

  if (opensWindowAtStart(process.argv)) open();
  void model.start(settings.profile);
}
