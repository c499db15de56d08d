import type { Dispatcher } from 'undici';
import type { Profile } from '../auth/auth.ts';
import type { AuthService } from '../auth/open.ts';
import { once } from '../auth/opened-once.ts';
import type { RetryLimits } from '../platform/retry.ts';
import type { AppAccesses } from '../workspace/app-access.ts';
import type { RestClient } from '../workspace/client.ts';
import type { ServiceSignIns } from '../workspace/service-sign-in.ts';

/** What of a workspace is reached over its REST APIs, in the application and in a proxy that works alone. */
export interface WorkspaceAccess {
  /** @param limits how often a request is tried, if not as usual */
  client(profile: Profile, limits?: RetryLimits): Promise<RestClient>;
  /** The sign-ins to what is behind services, such as GitHub, shared by all who need one. */
  services(): Promise<ServiceSignIns>;
  /** The ways to Databricks Apps, shared by all who need one. */
  apps(): Promise<AppAccesses>;
  /** Ends what waits for a sign-in to a service. */
  close(): void;
}

interface AccessOptions {
  env: NodeJS.ProcessEnv;
  auth(): Promise<AuthService>;
  dispatcherTo(host: string): Promise<Dispatcher>;
}

/** Loads and opens nothing before it is needed. */
export function workspaceAccess({ env, auth, dispatcherTo }: AccessOptions): WorkspaceAccess {
  const client = async (profile: Profile, limits?: RetryLimits) => {
    const [{ createRestClient }, service] = await Promise.all([import('../workspace/client.ts'), auth()]);
    return createRestClient({
      profile,
      tokens: service.tokens(profile),
      dispatcher: await dispatcherTo(profile.host),
      ...(limits ? { limits } : {}),
    });
  };
  let opened: ServiceSignIns | undefined;
  return {
    client,
    services: once(async () => {
      const { ServiceSignIns } = await import('../workspace/service-sign-in.ts');
      opened = new ServiceSignIns({ auth: await auth(), client });
      return opened;
    }),
    apps: once(async () => {
      const { AppAccesses } = await import('../workspace/app-access.ts');
      const confirmed = async ({ name }: Profile, path: string) => {
        const { confirmedOrigin } = await import('../clients/servers.ts');
        return confirmedOrigin(env, name, path);
      };
      return new AppAccesses({ auth: await auth(), client, confirmed });
    }),
    close: () => opened?.close(),
  };
}
