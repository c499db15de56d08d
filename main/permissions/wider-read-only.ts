import { ownMember } from '../platform/own-member.ts';
import type { PermissionScope, Permissions } from './permissions.ts';

/** Where read only is on that makes a scope read-only whatever the scope's own permissions say, in words; null if it is not. */
export function widerReadOnly(permissions: Permissions, { server, client }: PermissionScope): string | null {
  const isAll = server === undefined && client === undefined;
  if (permissions.all?.readOnly && !isAll) return 'all servers';
  if (server !== undefined && client && ownMember(permissions.clients, client.id)?.readOnly) {
    return `${client.name} on all servers`;
  }
  const ofServer = server === undefined ? undefined : ownMember(permissions.servers, server);
  if (client && ofServer?.readOnly) {
    return ownMember(ofServer.clients, client.id)?.readOnly === undefined ? 'this server' : null;
  }
  return null;
}
