import { ownMember } from '../platform/own-member.ts';
import type { RuleScope, Rules } from './rules.ts';

/** Where read only is on that makes a scope read-only whatever the scope's own rules say, in words; null if it is not. */
export function widerReadOnly(rules: Rules, { server, client }: RuleScope): string | null {
  const isAll = server === undefined && client === undefined;
  if (rules.all?.readOnly && !isAll) return 'all servers';
  if (server !== undefined && client && ownMember(rules.clients, client.id)?.readOnly) {
    return `${client.name} on all servers`;
  }
  const ofServer = server === undefined ? undefined : ownMember(rules.servers, server);
  if (client && ofServer?.readOnly) {
    return ownMember(ofServer.clients, client.id)?.readOnly === undefined ? 'this server' : null;
  }
  return null;
}
