import { createBridge } from '../bridge/bridge.ts';
import { serveStdio } from '../bridge/stdio.ts';
import { StreamSink } from '../bridge/stream-sink.ts';
import { CausewayError, inOneLine } from '../platform/errors.ts';
import { openPool } from '../platform/http.ts';
import { VERSION } from '../platform/version.ts';
import { PROXY_HELP, type ProxyRequest, parseProxyArguments } from './proxy-arguments.ts';

/** How long the workspace may be silent while it works, in milliseconds: Genie turns take minutes. */
const SILENCE_MS = 600_000;

/**
 * `causeway proxy`: what AI clients spawn, once for each server. Exits 0 when the client is done; 2, with one line on
 * stderr, when it was called wrongly. Nothing but frames ever goes to stdout.
 */
export async function runProxy(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(PROXY_HELP);
    return;
  }
  let session: () => Promise<void>;
  try {
    session = await prepare(parseProxyArguments(args));
  } catch (error) {
    process.stderr.write(`causeway proxy: ${inOneLine(error)}\n`);
    process.exit(2);
  }
  await session();
  // What may still be open (a connection on its way down, a timer) must not outlive the client.
  process.exit(0);
}

async function prepare(request: ProxyRequest): Promise<() => Promise<void>> {
  const { openAuth } = await import('../auth/open.ts');
  const auth = openAuth({ env: process.env });
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
  const dispatcher = await openPool(profile.host, { env: process.env, silenceMs: SILENCE_MS });
  const endpoint = {
    profile,
    path: request.path,
    tokens: auth.tokens(profile),
    dispatcher,
    userAgent: `causeway/${VERSION} (proxy)`,
  };
  const sink = new StreamSink(process.stdout);
  return () => serveStdio(createBridge(endpoint, sink), sink);
}
