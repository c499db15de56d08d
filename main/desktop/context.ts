import type { z } from 'zod';
import type { EventName, EventPayloads } from '../../preload/contract.ts';
import type { Causeway } from '../causeway.ts';
import type { ActivityLog } from './activity/activity.ts';
import type { DesktopModel } from './model.ts';
import type { DesktopServers } from './servers/servers.ts';
import type { LoginItem } from './settings/autostart.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import type { UpdateBlocker, UpdateService, UpdateSource } from './updates/updates.ts';
import type { OverrideHistory } from './warehouse/override-history.ts';

/** What only the desktop around the services can do. Tests put their own in its place. */
export interface Shell {
  openInBrowser(address: string): Promise<void>;
  /** Hands an AI client the link by which it adds an entry itself. */
  openInClient(link: string): Promise<void>;
  /** Puts a text on the clipboard. */
  copy(text: string): void;
  /** Asks where a file is to be written, in a dialog of the system. Null if the person thinks better of it. */
  chooseFileToSave(offer: FileOffer): Promise<string | null>;
  /** Asks which file is to be read. */
  chooseFileToOpen(offer: FileOffer): Promise<string | null>;
  /** Asks for a folder. */
  chooseFolder(offer: Pick<FileOffer, 'title'>): Promise<string | null>;
  /** Shows a folder in the system's file manager. */
  showFolder(folder: string): Promise<void>;
  /** What starts the application at login; null where this system has no such thing. */
  loginItem: LoginItem | null;
  /** Where newer versions come from, and what keeps this copy from replacing itself. */
  updates: { hindrance: UpdateBlocker; openSource(): Promise<UpdateSource> };
  /** Ends the application as quitting does, so that `install` can start the new version. */
  closeForUpdate(): Promise<void>;
  /** Which Electron, Chromium and Node this runs on, for diagnostics. */
  versions: Record<string, string | undefined>;
}

/** What a file dialog offers. */
export interface FileOffer {
  title: string;
  /** The name that is filled in, without a folder; empty where an existing file is chosen. */
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
  shell: Shell;
  /** Tells the window something that the contract lists. Nobody hears it while there is no window. */
  emit<Name extends EventName>(name: Name, payload: EventPayloads[Name]): void;
  /** Has something ended when the application does. */
  onClose(end: () => void): void;
}

/** One function for each request of a group of the contract. */
export type HandlersOf<Requests extends Record<string, { input: z.ZodType; output: z.ZodType }>> = {
  [Name in keyof Requests]: (input: z.output<Requests[Name]['input']>) => Promise<z.output<Requests[Name]['output']>>;
};
