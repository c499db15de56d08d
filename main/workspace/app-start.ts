import { setTimeout as sleep } from 'node:timers/promises';
import { CausewayError } from '../platform/errors.ts';
import { findApp, haltOf } from './app-access.ts';
import type { DatabricksApp } from './apps.ts';
import type { RestClient } from './client.ts';
import { WorkspaceError } from './errors.ts';

export interface StartOptions {
  signal?: AbortSignal | undefined;
  /** Called with how the app is, in a few words, whenever that has changed. */
  onProgress?: (words: string) => void;
  pollMs?: number;
  limitMs?: number;
}

/** How often the workspace is asked meanwhile, in milliseconds. */
const POLL_MS = 3_000;
/** How long an app may take, in milliseconds: its compute is made, and its packages are installed. */
const LIMIT_MS = 15 * 60_000;

/**
 * Starts an app that is stopped, and waits until it runs. Resolves to whether there was anything to do.
 * @throws {CausewayError} `permission_denied` without CAN_MANAGE, `unavailable` if it fails or takes too long, and as `findApp`
 */
export async function startApp(client: RestClient, name: string, options: StartOptions = {}): Promise<boolean> {
  const { signal, onProgress = () => {}, pollMs = POLL_MS, limitMs = LIMIT_MS } = options;
  let app = await findApp(client, name, signal);
  if (isRunning(app)) return false;
  if (haltOf(app)?.canStart) app = await begin(client, name, signal);
  const until = performance.now() + limitMs;
  let shown = '';
  while (!isRunning(app)) {
    refuseFailed(app);
    const words = haltOf(app)?.words ?? 'is being deployed';
    if (words !== shown) onProgress(`App "${name}" ${words}…`);
    shown = words;
    if (performance.now() > until) {
      throw new CausewayError(
        'unavailable',
        `App "${name}" is not running after ${Math.round(limitMs / 60_000)} minutes.`,
        {
          remedy: 'It may still start. Check its page in the workspace.',
        },
      );
    }
    await sleep(pollMs, undefined, { signal });
    app = await findApp(client, name, signal);
  }
  return true;
}

function isRunning({ app_status, compute_status }: DatabricksApp): boolean {
  return compute_status?.state === 'ACTIVE' && app_status?.state === 'RUNNING';
}

async function begin(client: RestClient, name: string, signal: AbortSignal | undefined): Promise<DatabricksApp> {
  try {
    return await client.apps.start(name, signal);
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    if (error.code === 'permission_denied') {
      const { name: profile } = client.rest.profile;
      const message = `The user of profile "${profile}" is not allowed to start app "${name}".`;
      throw error.rephrased(
        'permission_denied',
        message,
        'Starting it requires CAN_MANAGE. Ask its owner to start it.',
      );
    }
    // Another user has started it in the meantime.
    const app = await findApp(client, name, signal);
    if (haltOf(app)?.canStart) throw error;
    return app;
  }
}

function refuseFailed(app: DatabricksApp): void {
  const failed = [
    app.compute_status?.state === 'ERROR',
    app.app_status?.state === 'CRASHED',
    app.compute_status?.state === 'DELETING',
  ];
  if (!failed.includes(true)) return;
  throw new CausewayError('unavailable', `App "${app.name}" ${haltOf(app)?.words}.`, {
    remedy: "Ask the app's owner to check its logs.",
  });
}
