import type { ManagedServer } from './servers.ts';

/** A server by its own address, for a client that connects by itself. */
export interface HttpChoice {
  urlOf(server: ManagedServer): string;
  clientId: string | undefined;
  callbackPort: number | undefined;
}

/** How a change is made. */
export interface ChangeChoice {
  http?: HttpChoice | undefined;
  dryRun?: boolean | undefined;
  /** Also over an entry of somebody else, and while the client runs that would overwrite it. */
  force?: boolean | undefined;
}
