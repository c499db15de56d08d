import { CausewayError } from '../platform/errors.ts';

/** Why the permissions cannot be read, and what to do about it. Until they can be read, no tool may be called. */
export function unreadablePermissions(path: string, reason: string, remedy: string, cause?: unknown): CausewayError {
  return new CausewayError('invalid_file', `The permissions in ${path} cannot be read (${reason}).`, {
    cause,
    remedy: `${remedy} Until then, no tool may be called.`,
  });
}
