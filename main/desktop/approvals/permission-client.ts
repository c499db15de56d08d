import { CLIENTS, clientOnWire } from '../../clients/table.ts';
import type { PermissionClient } from '../../permissions/permissions.ts';
import { CausewayError } from '../../platform/errors.ts';
import { UNUSABLE_NAME } from '../../platform/own-member.ts';

/**
 * The client that permissions name for the one that has made a call; one that is not in the table is named as it names itself. It may
 * call itself like another client's id, whose permissions it must not change.
 */
export function permissionClientOf(wireName: string | undefined): PermissionClient {
  if (wireName === undefined) {
    throw new CausewayError('usage', 'This client did not give its name.', {
      remedy: 'Allow the call once, or allow the tool for all AI clients.',
    });
  }
  const isTaken = wireName === UNUSABLE_NAME || CLIENTS.some(({ id }) => id === wireName);
  return (
    clientOnWire(wireName) ?? {
      id: isTaken ? `name:${wireName}` : wireName,
      name: wireName,
      wireNames: [wireName],
    }
  );
}
