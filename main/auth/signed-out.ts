import { asSentence, CausewayError } from '../platform/errors.ts';
import type { Profile } from './auth.ts';

/**
 * The error for a profile that is signed out, or whose sign-in cannot be read.
 * @param why `unreadable` is why it cannot be read; `reason` is what has ended it, to follow a colon
 */
export function signedOut(
  { name, host }: Pick<Profile, 'host' | 'name'>,
  { unreadable, reason }: { unreadable?: CausewayError | undefined; reason?: string | undefined } = {},
): CausewayError {
  if (unreadable) {
    const message = `Causeway cannot tell whether profile "${name}" is signed in to ${host}. ${asSentence(unreadable.message)}`;
    const action = { do: 'sign-in', profile: name } as const;
    switch (unreadable.code) {
      case 'keychain_locked':
        return new CausewayError('signed_out', message, {
          cause: unreadable,
          remedy: 'Unlock the keychain, then try again. A new sign-in is not needed.',
        });
      case 'invalid_file':
        return new CausewayError('signed_out', message, { cause: unreadable, remedy: unreadable.remedy, action });
      default:
        return new CausewayError('signed_out', message, {
          cause: unreadable,
          remedy:
            'Start the Causeway application, or keep sign-ins in an encrypted file: causeway login --store encrypted-file.',
          action,
        });
    }
  }
  const why = reason === undefined ? '' : `: ${reason}`;
  return new CausewayError('signed_out', `Profile "${name}" is signed out of ${host}${why}.`, {
    action: { do: 'sign-in', profile: name },
  });
}
