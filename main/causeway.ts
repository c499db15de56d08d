import type { Profile } from './auth/auth.ts';
import type { EffectiveWarehouse, WarehouseSummary } from './warehouses/effective.ts';

/** What the application is built from: everything that differs between the desktop, the command line and the tests. */
export interface CausewayOptions {
  env: NodeJS.ProcessEnv;
  /** Shows an address to the person: the system's browser by default, a scripted one in tests. */
  openBrowser?: (url: string) => Promise<void>;
}

/** One signed-in user's warehouses in one workspace. */
export interface WarehouseService {
  effective(signal?: AbortSignal): Promise<EffectiveWarehouse>;
  list(signal?: AbortSignal): Promise<WarehouseSummary[]>;
  setOverride(warehouseId: string, signal?: AbortSignal): Promise<void>;
  setLastSelected(signal?: AbortSignal): Promise<void>;
  clearOverride(signal?: AbortSignal): Promise<void>;
}

export interface WorkspaceSession {
  profile: Profile;
  warehouses: WarehouseService;
}

/** The application's services, built once. The desktop shell, the command line and the tests all stand on this. */
export interface Causeway {
  /** The names of the profiles in the configuration file, in its order. */
  profileNames(): Promise<string[]>;
  /** Opens a profile (the default one if no name is given). @throws {CausewayError} `profile_not_found`, `profile_unusable` */
  open(profileName?: string): Promise<WorkspaceSession>;
  close(): Promise<void>;
}

export function createCauseway(_options: CausewayOptions): Causeway {
  throw new Error('not built yet');
}
