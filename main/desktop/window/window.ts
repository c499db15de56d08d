import { join } from 'node:path';
import { app, BrowserWindow, nativeTheme, screen } from 'electron';
import type { ScreenName } from '../../../preload/contract.ts';
import { reloadAfterCrash } from '../crash-watch.ts';
import { PRELOAD_FILE, RESOURCES_FOLDER } from '../places.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { startPageAt } from './navigation.ts';
import { MINIMUM_SIZE, placeWindow } from './window-bounds.ts';

/** The page's own background, so that the window does not flash before the first frame. */
const BACKGROUND = { light: '#ffffff', dark: '#1c1f23' };

export interface WindowEvents {
  /** Told each time the window comes into sight or goes out of it. */
  onWatched(watched: boolean): void;
  /** The page broke and is shown again. */
  onReloaded(): void;
}

/** The application's one window: made when it is opened, gone when it is closed, while the tray lives on. */
export class MainWindow {
  readonly #settings: SettingsStore;
  readonly #events: WindowEvents;
  #window: BrowserWindow | undefined;
  /** When its page broke, in milliseconds since the epoch: it may not do so again and again. */
  readonly #crashes: number[] = [];

  constructor(settings: SettingsStore, events: WindowEvents) {
    this.#settings = settings;
    this.#events = events;
  }

  get current(): BrowserWindow | undefined {
    return this.#window;
  }

  /** Opens it at a screen, or brings it to the front, where `sendEvent` leads on. */
  open(screen?: ScreenName, item?: string): void {
    if (this.#window) {
      if (this.#window.isMinimized()) this.#window.restore();
      this.#window.show();
      this.#window.focus();
      return;
    }
    const window = this.#create();
    this.#window = window;
    window.once('ready-to-show', () => window.show());
    window.on('show', () => this.#events.onWatched(true));
    window.on('focus', () => this.#events.onWatched(true));
    window.on('hide', () => this.#events.onWatched(false));
    window.on('minimize', () => this.#events.onWatched(false));
    window.on('close', () => this.#settings.remember({ windowBounds: window.getNormalBounds() }));
    window.on('closed', () => {
      this.#window = undefined;
      this.#events.onWatched(false);
    });
    reloadAfterCrash(window, this.#crashes, () => this.#events.onReloaded());
    void window.loadURL(startPageAt(screen, item));
  }

  /**
   * Opens the page once where nobody sees it and lets it go again, so that the first time a person asks is as quick as
   * the next: Chromium starts its processes for windows, and compiles what it then finds compiled.
   */
  warmUp(): void {
    if (this.#window) return;
    const unseen = this.#create();
    unseen.webContents.once('did-stop-loading', () => setImmediate(() => unseen.destroy()));
    void unseen.loadURL(startPageAt());
  }

  #create(): BrowserWindow {
    const screens = screen.getAllDisplays().map(({ workArea }) => workArea);
    return new BrowserWindow({
      ...placeWindow(this.#settings.windowBounds, screens),
      minWidth: MINIMUM_SIZE.width,
      minHeight: MINIMUM_SIZE.height,
      title: app.name,
      // For Linux: elsewhere the packaged application brings its icon.
      icon: join(RESOURCES_FOLDER, 'icon.png'),
      show: false,
      autoHideMenuBar: true,
      backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
      webPreferences: {
        preload: PRELOAD_FILE,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        // Its dictionaries would be downloaded, and there is nothing to spell.
        spellcheck: false,
      },
    });
  }
}
