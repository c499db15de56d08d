import { findService } from '../../app/servers/service.ts';
import { unlessAborted } from '../../auth/single-flight.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { ServiceSignIn } from '../../workspace/service-sign-in.ts';
import type { CommandContext } from '../command.ts';
import { fitted, printable, writeAnswer, writeDone, writeNotice } from '../terminal.ts';

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
  const service = await findService(context.causeway(), name, options.profile);
  const { signal } = context;
  const checked = await unlessAborted(service.checkBeforeSignIn(), signal);
  if (checked.state !== 'signed-out') return tell(context, service, checked.state, options);
  // Without the address to open, the user could not go on.
  const say = (line: string) => context.stderr.write(fitted(context.stderr, printable(line)));
  const note = (line: string) => writeNotice(context, line);
  if (checked.way === 'own-browser') {
    say(
      `The token of profile ${service.profile.name} cannot sign in. Sign in to the workspace as ${checked.userName} in the browser first.`,
    );
  }
  const isOpened = options.browser && (await isShown(service, signal));
  if (isOpened)
    await note(
      `Your browser opens the sign-in page of ${service.title}. If it does not, open this address: ${service.url}`,
    );
  else {
    await service.begin({ asked: true, show: async () => true });
    say(`Open this address in a browser to sign in to ${service.title}:`);
    say(service.url);
  }
  await note('Waiting for up to five minutes. Press Ctrl-C to cancel.');
  await unlessAborted(service.signedIn(), signal);
  await tell(context, service, 'now', options);
}

/** `causeway servers sign-out NAME`: the workspace forgets the user's credential. */
export async function signOutOfService(context: CommandContext, name: string, options: ServiceOptions): Promise<void> {
  const service = await findService(context.causeway(), name, options.profile);
  const checked = await unlessAborted(service.check(), context.signal);
  const hasSignIn = checked.state !== 'not-needed';
  if (!hasSignIn && !options.json) return tell(context, service, 'not-needed', options);
  const wasSignedIn = hasSignIn && (await unlessAborted(service.signOut(), context.signal));
  const { title, profile } = service;
  if (options.json) {
    const state = hasSignIn ? 'signed-out' : 'not-needed';
    return writeAnswer(context, 'servers sign-out', { ...named(service), state, wasSignedIn });
  }
  const line = wasSignedIn
    ? `Signed out of ${title}, for all clients and computers (profile ${profile.name}).`
    : `You were not signed in to ${title} (profile ${profile.name}).`;
  await writeDone(context, printable(line));
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
    const state = how === 'not-needed' ? how : 'signed-in';
    return writeAnswer(context, 'servers sign-in', { ...named(service), state, wasSignedIn: how === 'signed-in' });
  }
  const line = {
    now: `Signed in to ${title} (profile ${profile.name}).`,
    'signed-in': `You are already signed in to ${title} (profile ${profile.name}).`,
    'not-needed': `${title} needs no sign-in of its own.`,
  }[how];
  await writeDone(context, printable(line));
}

function named({ service, title, profile }: ServiceSignIn) {
  return { service, title, profile: profile.name, host: profile.host };
}
