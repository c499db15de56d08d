import { CausewayError } from '../../platform/errors.ts';

/** Where the services' remedy is a command, the window has a screen. */
export function inWindowWords(error: unknown): unknown {
  if (!(error instanceof CausewayError) || error.code !== 'permission_denied') return error;
  return new CausewayError(error.code, error.message, {
    cause: error,
    remedy:
      'Your own override is on the Warehouse screen. To change somebody else’s, ask one of your workspace’s admins, or have them make you one.',
  });
}
