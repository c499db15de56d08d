import { unlessAborted } from '../../auth/single-flight.ts';
import { openServers } from '../../clients/servers.ts';
import { CausewayError } from '../../platform/errors.ts';
import { serviceOf } from '../../workspace/service-name.ts';
import type { ServiceSignIn } from '../../workspace/service-sign-in.ts';
import type { CommandContext } from '../command.ts';
import { printable, writeJson, writeLine } from '../terminal.ts';

export interface ServiceOptions {
  profile?: string;
  json?: boolean;
}

/** `causeway servers sign-in NAME`: shows the page, and waits until the workspace says that the user is signed in. */
export async function signInToService(
  context: CommandContext,
  name: string,
  options: ServiceOptions & { browser: boolean },
): Promise<void> {
  const service = await findService(context, name, options.profile);
  const { signal } = context;
  const checked = await unlessAborted(service.checkBeforeSignIn(), signal);
  if (checked.state !== 'signed-out') return tell(context, service, checked.state, options);
  const say = (line: string) => context.stderr.write(`${printable(line)}\n`);
  if (checked.way === 'own-browser') {
    say(
      `The token of profile ${service.profile.name} cannot sign in. Sign in to the workspace as ${checked.userName} in the browser first.`,
    );
  }
  const isOpened = options.browser && (await isShown(service, signal));
  if (isOpened)
    say(`Your browser opens the sign-in page of ${service.title}. If it does not, open this address: ${service.url}`);
  else {
    await service.begin({ asked: true, show: async () => true });
    say(`Open this address in a browser to sign in to ${service.title}:`);
    say(service.url);
  }
  say('Waiting for up to five minutes. Press Ctrl-C to cancel.');
  await unlessAborted(service.signedIn(), signal);
  await tell(context, service, 'now', options);
}

/** `causeway servers sign-out NAME`: the workspace forgets the user's credential. */
export async function signOutOfService(context: CommandContext, name: string, options: ServiceOptions): Promise<void> {
  const service = await findService(context, name, options.profile);
  const checked = await unlessAborted(service.check(), context.signal);
  const hasSignIn = checked.state !== 'not-needed';
  if (!hasSignIn && !options.json) return tell(context, service, 'not-needed', options);
  const wasSignedIn = hasSignIn && (await unlessAborted(service.signOut(), context.signal));
  const { title, profile } = service;
  if (options.json) return writeJson(context.stdout, { ...named(service), wasSignedIn });
  const line = wasSignedIn
    ? `Signed out of ${title}, for all clients and computers (profile ${profile.name}).`
    : `You were not signed in to ${title} (profile ${profile.name}).`;
  await writeLine(context.stdout, printable(line));
}

/** Whether the browser could be opened. */
async function isShown(service: ServiceSignIn, signal: AbortSignal): Promise<boolean> {
  try {
    await unlessAborted(service.begin({ asked: true }), signal);
    return true;
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'sign_in_failed') return false;
    throw error;
  }
}

async function tell(
  context: CommandContext,
  service: ServiceSignIn,
  how: 'now' | 'signed-in' | 'not-needed',
  { json }: ServiceOptions,
): Promise<void> {
  const { title, profile } = service;
  if (json) {
    return writeJson(context.stdout, { ...named(service), state: how === 'not-needed' ? how : 'signed-in' });
  }
  const line = {
    now: `Signed in to ${title} (profile ${profile.name}).`,
    'signed-in': `You are already signed in to ${title} (profile ${profile.name}).`,
    'not-needed': `${title} needs no sign-in of its own.`,
  }[how];
  await writeLine(context.stdout, printable(line));
}

function named({ service, title, profile }: ServiceSignIn) {
  return { service, title, profile: profile.name, host: profile.host };
}

/** The service of a server in the list, or of that name. @throws {CausewayError} `not_found`, `profile_not_found` */
async function findService(
  context: CommandContext,
  name: string,
  profileName: string | undefined,
): Promise<ServiceSignIn> {
  const causeway = context.causeway();
  const { servers } = (await openServers(context.env)).atOpening;
  const server = servers.find((each) => each.name === name);
  const service = serviceOf(server?.path ?? `/ai-gateway/mcp-services/${name}`);
  if (service === undefined) {
    const what = server
      ? `Server "${name}" is ${server.path}. It has no sign-in of its own.`
      : `There is no server and no service "${name}".`;
    throw new CausewayError('not_found', what, {
      remedy: 'Use a server from `causeway servers`, or a service as CATALOG.SCHEMA.SERVICE.',
      candidates: servers.filter(({ path }) => serviceOf(path) !== undefined).map((each) => ({ name: each.name })),
    });
  }
  const [auth, services] = await Promise.all([causeway.auth(), causeway.services()]);
  return services.of(await auth.profile(profileName ?? server?.profile), service);
}
