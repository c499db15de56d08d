import { release } from 'node:os';
import { join } from 'node:path';
import { app, BrowserWindow, nativeTheme, screen } from 'electron';
import type { ScreenName } from '../../../preload/contract.ts';
import { reloadAfterCrash } from '../crash-watch.ts';
import { PRELOAD_FILE, RESOURCES_FOLDER } from '../places.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { startPageAt } from './navigation.ts';
import { MINIMUM_SIZE, placeWindow } from './window-bounds.ts';
import { pagePreferences, windowLook, windowMaterial } from './window-options.ts';

const THIS_SYSTEM = { platform: process.platform, release: release() };

export interface WindowEvents {
  /** The window has become visible or hidden. */
  onWatched(watched: boolean): void;
  /** The page broke and is shown again. */
  onReloaded(): void;
}

/** The application's one window: made when it is opened, gone when it is closed, while the tray lives on. */
export class MainWindow {
  readonly #settings: SettingsStore;
  readonly #events: WindowEvents;
  #window: BrowserWindow | undefined;
  #isOpening = false;
  /** When its page broke, in milliseconds since the epoch: this must not repeat endlessly. */
  readonly #crashes: number[] = [];

  constructor(settings: SettingsStore, events: WindowEvents) {
    this.#settings = settings;
    this.#events = events;
  }

  /** A window that is closing does not count. */
  get current(): BrowserWindow | undefined {
    return this.#window?.isDestroyed() === false ? this.#window : undefined;
  }

  get isVisible(): boolean {
    const { current } = this;
    return current?.isVisible() === true && !current.isMinimized();
  }

  /** Whether the user looks at it: it has the focus, or is about to be shown. */
  get isInSight(): boolean {
    const { current } = this;
    return current !== undefined && (this.#isOpening || current.isFocused());
  }

  /** Opens it at a screen, or brings it to the front, where `sendEvent` leads on. */
  open(screen?: ScreenName, item?: string): void {
    const { current } = this;
    if (current) {
      if (current.isMinimized()) current.restore();
      current.show();
      current.focus();
      return;
    }
    const window = this.#create();
    this.#window = window;
    this.#isOpening = true;
    const isCurrent = () => this.#window === window;
    const onWatched = (watched: boolean) => isCurrent() && this.#events.onWatched(watched);
    window.once('ready-to-show', () => {
      if (!isCurrent()) return;
      this.#isOpening = false;
      window.show();
    });
    window.on('show', () => onWatched(true));
    window.on('focus', () => onWatched(true));
    window.on('hide', () => onWatched(false));
    window.on('minimize', () => onWatched(false));
    window.on('close', () => this.#settings.remember({ windowBounds: window.getNormalBounds() }));
    const forget = () => {
      if (!isCurrent()) return;
      this.#window = undefined;
      this.#events.onWatched(false);
    };
    // From its first sign of closing on: Electron crashes if such a window is shown again.
    window.on('close', forget);
    window.webContents.once('destroyed', forget);
    window.on('closed', forget);
    reloadAfterCrash(window, this.#crashes, () => this.#events.onReloaded());
    void window.loadURL(startPageAt(screen, item, windowMaterial(THIS_SYSTEM)));
  }

  /** Brings it to the front, if it is open behind others. */
  comeForward(): void {
    const { current } = this;
    if (current === undefined || !this.isVisible || current.isFocused()) return;
    current.show();
    current.focus();
  }

  /** Calls back with the window once its page can hear events. */
  whenLoaded(use: (window: BrowserWindow) => void): void {
    const { current } = this;
    if (!current) return;
    if (current.webContents.isLoading()) current.webContents.once('did-finish-load', () => use(current));
    else use(current);
  }

  #create(): BrowserWindow {
    const screens = screen.getAllDisplays().map(({ workArea }) => workArea);
    return new BrowserWindow({
      ...placeWindow(this.#settings.windowBounds, screens),
      ...windowLook(THIS_SYSTEM, nativeTheme.shouldUseDarkColors),
      minWidth: MINIMUM_SIZE.width,
      minHeight: MINIMUM_SIZE.height,
      title: app.name,
      // For Linux: elsewhere the packaged application brings its icon.
      icon: join(RESOURCES_FOLDER, 'icon.png'),
      show: false,
      webPreferences: pagePreferences(PRELOAD_FILE),
    });
  }
}
