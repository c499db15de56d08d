import { createHash } from 'node:crypto';

/** The path at which the callback's listener sends its user's browser on to the sign-in page. It tells nothing of the state. */
export function startPath(state: string): string {
  return `/open/${createHash('sha256').update(`start ${state}`).digest('base64url')}`;
}

/**
 * The address on this computer that leads to a sign-in page. On Linux, the address that a browser is to open is in arguments of
 * programs, which every user of the computer can read; whoever knows that of a sign-in page could complete the sign-in as somebody
 * else. This one leads on only for the programs of its user (`peer-user.ts`). Any other page's address stays as it is.
 */
export function startAddress(address: string): string {
  const { searchParams } = new URL(address);
  const [state, redirectUri] = [searchParams.get('state'), searchParams.get('redirect_uri')];
  if (!state || !/^http:\/\/localhost:\d+$/.test(redirectUri ?? '')) return address;
  return `${redirectUri}${startPath(state)}`;
}
