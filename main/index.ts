import { app, clipboard, Menu, powerMonitor } from 'electron';
import type { ScreenName } from '../preload/contract.ts';
import { createCauseway } from './causeway.ts';
import { applicationMenu } from './desktop/application-menu.ts';
import { createDesktop } from './desktop/desktop.ts';
import { notifyOrOpen } from './desktop/notification.ts';
import { askPerson } from './desktop/question.ts';
import { quitCleanly } from './desktop/quit.ts';
import { SettingsFile } from './desktop/settings/settings-file.ts';
import { opensWindowAtStart } from './desktop/start-up.ts';
import { CausewayTray } from './desktop/tray/tray.ts';
import { createTrayActions } from './desktop/tray/tray-action.ts';
import { registerAppScheme, serveAppFiles } from './desktop/window/app-protocol.ts';
import { chooseFileToOpen, chooseFileToSave } from './desktop/window/file-dialogs.ts';
import { sendEvent, serveRequests } from './desktop/window/ipc.ts';
import { lockDown, openInBrowser } from './desktop/window/lockdown.ts';
import { MainWindow } from './desktop/window/window.ts';

registerAppScheme();

if (app.requestSingleInstanceLock()) void app.whenReady().then(start);
else app.quit();

function start(): void {
  lockDown();
  serveAppFiles();
  Menu.setApplicationMenu(Menu.buildFromTemplate(applicationMenu(process.platform)));

  const settings = new SettingsFile();
  const causeway = createCauseway({ env: process.env, openBrowser: openInBrowser });
  const window = new MainWindow(settings, { onWatched: (watched) => model.watch(watched) });
  const desktop = createDesktop({
    causeway,
    env: process.env,
    shell: { openInBrowser, copy: (text) => clipboard.writeText(text), chooseFileToSave, chooseFileToOpen },
    onEvent: (name, payload) => {
      if (window.current) sendEvent(window.current, name, payload);
    },
  });
  const { model } = desktop;
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

  serveRequests(desktop.handlers, ({ sender }) => sender === window.current?.webContents);
  model.onChange((state) => {
    tray.render(state);
    if (state.profile !== null) settings.rememberProfile(state.profile);
  });

  app.on('second-instance', () => open());
  app.on('activate', () => open());
  // Without a listener Electron quits with the last window: Causeway stays in the tray.
  app.on('window-all-closed', () => {});
  powerMonitor.on('resume', () => void model.checkAgain());
  quitCleanly([() => desktop.close(), () => causeway.close(), () => tray.close()]);

  if (opensWindowAtStart(process.argv)) open();
  void desktop.start(settings.profile);
}
