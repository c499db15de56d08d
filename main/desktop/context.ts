import type { EventName, EventPayloads } from '../../preload/contract.ts';
import type { Causeway } from '../causeway.ts';
import type { DesktopModel } from './model.ts';

/** What only the desktop around the services can do. Tests put their own in its place. */
export interface Shell {
  openInBrowser(address: string): Promise<void>;
  /** Puts a text on the clipboard. */
  copy(text: string): void;
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
