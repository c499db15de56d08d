import type { EventName, EventPayloads } from '../../preload/contract.ts';
import type { Causeway } from '../causeway.ts';
import type { DesktopModel } from './model.ts';

/** What only the desktop around the services can do. Tests put their own in its place. */
export interface Shell {
  openInBrowser(address: string): Promise<void>;
  /** Puts a text on the clipboard. */
  copy(text: string): void;
  /** Asks where a file is to be written, in a dialog of the system. Null if the person thinks better of it. */
  chooseFileToSave(offer: FileOffer): Promise<string | null>;
  /** Asks which file is to be read. */
  chooseFileToOpen(offer: FileOffer): Promise<string | null>;
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
  shell: Shell;
  /** Tells the window something that the contract lists. Nobody hears it while there is no window. */
  emit<Name extends EventName>(name: Name, payload: EventPayloads[Name]): void;
}
