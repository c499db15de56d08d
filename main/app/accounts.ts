import type { Account } from '../../preload/contract/accounts.ts';
import type { ProfileEntry } from '../auth/auth.ts';
import type { AuthService } from '../auth/open.ts';

/** A profile's sign-in; with the error itself where it could not be read. */
export type SignInStatus =
  | Exclude<Account['state'], { status: 'unreadable' }>
  | { status: 'unreadable'; error: unknown };

/** Whether a user is signed in to a profile. One that is unreadable, for example behind a locked keychain, must not hide the others. */
export async function signInStatus(auth: AuthService, entry: ProfileEntry): Promise<SignInStatus> {
  if (!entry.usable) return { status: 'unusable', message: entry.message };
  try {
    const signIn = await auth.signInState(entry.profile);
    if (signIn.state === 'signed-out') {
      return { status: 'signed-out', ...(signIn.demanded !== undefined && { demanded: signIn.demanded }) };
    }
    if (signIn.state !== 'signed-in') return { status: signIn.state };
    const { userName = null, expiresAt = null, renewable } = signIn;
    return { status: 'signed-in', userName, expiresAt, renewable };
  } catch (error) {
    return { status: 'unreadable', error };
  }
}
