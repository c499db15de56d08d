import { openAuth } from '../auth/open.ts';
import { type Bridge, createBridge } from '../bridge/bridge.ts';
import type { FrameSink } from '../bridge/flow.ts';
import { CausewayError } from '../platform/errors.ts';
import { openPool } from '../platform/http.ts';
import { VERSION } from '../platform/version.ts';
import type { ProxyRequest } from './proxy-arguments.ts';

/** How long the workspace may be silent while it works, in milliseconds: Genie turns take minutes. */
const SILENCE_MS = 600_000;

/**
 * Gets everything ready that a proxy needs where no application runs, and gives what builds its bridge.
 * @throws {CausewayError} `usage`, `profile_not_found`, `profile_unusable`, …
 */
export async function prepareAlone(
  request: ProxyRequest,
  env: NodeJS.ProcessEnv,
): Promise<(sink: FrameSink) => Bridge> {
  const auth = openAuth({ env, signInWhenNeeded: true });
  const profile = await auth.profile(request.profile);
  if (request.origin !== undefined && request.origin !== profile.host) {
    throw new CausewayError(
      'usage',
      `Profile "${profile.name}" signs in to ${profile.host}, not to ${request.origin}.`,
      {
        remedy: 'Name the profile of that workspace with --profile: a token is never sent to another host.',
      },
    );
  }
  const dispatcher = await openPool(profile.host, { env, silenceMs: SILENCE_MS });
  const endpoint = {
    profile,
    path: request.path,
    tokens: auth.tokens(profile),
    dispatcher,
    userAgent: `causeway/${VERSION} (proxy)`,
  };
  return (sink) => createBridge(endpoint, sink);
}
