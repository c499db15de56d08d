import type { z } from 'zod';
import type { EventName, EventPayloads } from '../../preload/contract.ts';
import type { Causeway } from '../app/causeway.ts';
import type { ApprovalQueue } from '../permissions/approvals.ts';
import type { PermissionsFile } from '../permissions/permissions-file.ts';
import type { LoginItem } from '../platform/autostart.ts';
import type { ActivityLog } from './activity/activity.ts';
import type { Jobs } from './jobs.ts';
import type { DesktopModel } from './model.ts';
import type { DesktopServers } from './servers/servers.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import type { UpdateService, UpdatesOptions } from './updates/updates.ts';
import type { OverrideHistory } from './warehouse/override-history.ts';

/** What only Electron and the system can do. Tests provide their own. */
export interface Shell {
  openInBrowser(address: string): Promise<void>;
  /** Hands an AI client the link by which it adds an entry itself. */
  openInClient(link: string): Promise<void>;
  /** Puts a text on the clipboard. */
  copy(text: string): void;
  /** Asks in a system dialog where to write a file. Null if the user cancels. */
  chooseFileToSave(offer: FileOffer): Promise<string | null>;
  /** Asks in a system dialog which file to read. Null if the user cancels. */
  chooseFileToOpen(offer: FileOffer): Promise<string | null>;
  /** Asks in a system dialog for a folder. Null if the user cancels. */
  chooseFolder(offer: Pick<FileOffer, 'title'>): Promise<string | null>;
  /** Shows a folder in the system's file manager. */
  showFolder(folder: string): Promise<void>;
  /** Starts the application at login; null if this system cannot. */
  loginItem: LoginItem | null;
  /** Where updates come from, and why this copy cannot replace itself. */
  updates: Pick<UpdatesOptions, 'blocker' | 'command' | 'openSource' | 'watchInstalled'>;
  /** Brings the window with the calls that wait to the front. */
  reviewCalls(): void;
  /** Ends the application as quitting does, so that `install` can start the new version. */
  closeForUpdate(): Promise<void>;
  /** Quits the application as its menu does. */
  quit(): void;
  /** Which Electron, Chromium and Node this runs on, for diagnostics. */
  versions: Record<string, string | undefined>;
}

/** What a file dialog offers. */
export interface FileOffer {
  title: string;
  /** The name that is filled in, without a folder; empty if an existing file is chosen. */
  name: string;
  /** Kinds of files by their endings, without the dot. */
  kinds: { name: string; extensions: string[] }[];
}

/** What each group of requests is built from. */
export interface DesktopContext {
  causeway: Causeway;
  env: NodeJS.ProcessEnv;
  model: DesktopModel;
  settings: SettingsStore;
  updates: UpdateService;
  activity: ActivityLog;
  servers: DesktopServers;
  history: OverrideHistory;
  /** What AI clients may do. */
  permissions: PermissionsFile;
  /** The calls that wait for the user. */
  approvals: ApprovalQueue;
  shell: Shell;
  /** The window's work that it may cancel. */
  jobs: Jobs;
  /** Sends the window an event of the contract. It is dropped while there is no window. */
  emit<Name extends EventName>(name: Name, payload: EventPayloads[Name]): void;
  /** Registers a function to call when the application closes. */
  onClose(end: () => void): void;
}

/** One function for each request of a group of the contract. */
export type HandlersOf<Requests extends Record<string, { input: z.ZodType; output: z.ZodType }>> = {
  [Name in keyof Requests]: (input: z.output<Requests[Name]['input']>) => Promise<z.output<Requests[Name]['output']>>;
};
