import { join } from 'node:path';
import { app, BrowserWindow, globalShortcut, screen, type WebContents } from 'electron';
import type { DesktopState } from '../../../preload/contract.ts';
import { REVIEW_SHORTCUT } from '../../../preload/screens.ts';
import { PRELOAD_FILE, RESOURCES_FOLDER } from '../places.ts';
import { sendEvent } from '../window/ipc.ts';
import { approvalPage } from '../window/navigation.ts';
import { pagePreferences } from '../window/window-options.ts';
import { approvalBounds } from './approval-bounds.ts';

/** How long the window is kept out of sight for the next call, in milliseconds. */
const KEEP_MS = 30_000;

/** The small window with the calls that wait for the user: always on top, always in the same place, never in the way of the keyboard. */
export class ApprovalWindow {
  readonly #onClosed: () => void;
  #window: BrowserWindow | undefined;
  #forgetting: NodeJS.Timeout | undefined;
  #waiting = 0;

  /** @param onClosed called when its memory can be given back */
  constructor(onClosed: () => void) {
    this.#onClosed = onClosed;
  }

  owns(sender: WebContents): boolean {
    return this.#window?.isDestroyed() === false && sender === this.#window.webContents;
  }

  /** Shows itself for a call that has come, and goes when none waits. It does not take the focus: somebody may be typing. */
  render(state: DesktopState): void {
    const before = this.#waiting;
    this.#waiting = state.approvals.length;
    const window = this.#window;
    if (window && !window.isDestroyed() && !window.webContents.isLoading()) sendEvent(window, 'stateChanged', state);
    if (this.#waiting > before) this.#show();
    if (this.#waiting === 0 && before > 0) this.#hide();
  }

  /** Brings it to the front with the focus, if a call waits. */
  review(): void {
    if (this.#waiting === 0) return;
    this.#show();
    this.#window?.focus();
  }

  close(): void {
    clearTimeout(this.#forgetting);
    globalShortcut.unregister(REVIEW_SHORTCUT);
    this.#window?.destroy();
  }

  #show(): void {
    clearTimeout(this.#forgetting);
    // Another program may have it: the tray and the notification lead here too.
    if (!globalShortcut.isRegistered(REVIEW_SHORTCUT)) globalShortcut.register(REVIEW_SHORTCUT, () => this.review());
    const window = this.#window ?? this.#create();
    if (!window.webContents.isLoading()) window.showInactive();
  }

  #hide(): void {
    globalShortcut.unregister(REVIEW_SHORTCUT);
    this.#window?.hide();
    clearTimeout(this.#forgetting);
    this.#forgetting = setTimeout(() => this.#window?.destroy(), KEEP_MS);
  }

  #create(): BrowserWindow {
    const window = new BrowserWindow({
      ...approvalBounds(screen.getPrimaryDisplay().workArea),
      title: app.name,
      icon: join(RESOURCES_FOLDER, 'icon.png'),
      show: false,
      resizable: false,
      minimizable: false,
      maximizable: false,
      fullscreenable: false,
      skipTaskbar: true,
      alwaysOnTop: true,
      autoHideMenuBar: true,
      webPreferences: pagePreferences(PRELOAD_FILE),
    });
    this.#window = window;
    window.setAlwaysOnTop(true, 'floating');
    if (process.platform === 'darwin') window.setVisibleOnAllWorkspaces(true, { visibleOnFullScreen: true });
    window.once('ready-to-show', () => {
      if (this.#waiting > 0 && !window.isDestroyed()) window.showInactive();
    });
    const forget = () => {
      if (this.#window === window) this.#window = undefined;
    };
    // From its first sign of closing on: Electron crashes if such a window is shown again.
    window.on('close', forget);
    window.on('closed', () => {
      forget();
      this.#onClosed();
    });
    void window.loadURL(approvalPage());
    return window;
  }
}
