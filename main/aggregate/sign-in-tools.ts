import { WHICH_SIGN_IN } from '../bridge/connection-tool.ts';
import { parseFrame } from '../bridge/frame/frame.ts';
import { memberAt, membersOf } from '../bridge/frame/members.ts';
import type { ListItem } from './lists.ts';

/** What one server lists. */
interface ServerList {
  server: string;
  items: readonly ListItem[];
}

/**
 * The same lists with one tool `sign_in` for each sign-in. Several servers can wait for the same sign-in, and an agent that
 * sees a tool for each would call them all. The tool of the first server stays, and names them all.
 */
export function withOneOfEachSignIn(lists: readonly ServerList[]): ServerList[] {
  const waiting = new Map<string, string[]>();
  for (const { server, items } of lists) {
    for (const item of items) {
      const which = signInOf(item);
      if (which !== undefined) waiting.set(which, [...(waiting.get(which) ?? []), server]);
    }
  }
  if (waiting.size === 0) return [...lists];
  return lists.map(({ server, items }) => ({
    server,
    items: items.flatMap((item) => {
      const servers = waiting.get(signInOf(item) ?? '') ?? [];
      if (servers.length < 2) return [item];
      return servers[0] === server ? [naming(item, servers)] : [];
    }),
  }));
}

/** The sign-in that a tool is for; undefined if the tool is not Causeway's own. */
function signInOf({ bytes }: ListItem): string | undefined {
  if (!bytes.includes(WHICH_SIGN_IN)) return undefined;
  const which = memberAt(parseFrame(bytes), '_meta', WHICH_SIGN_IN);
  return typeof which === 'string' ? which : undefined;
}

function naming({ name, bytes }: ListItem, servers: readonly string[]): ListItem {
  const tool = membersOf(parseFrame(bytes));
  const last = servers.at(-1);
  const words = `One sign-in for the servers ${servers.slice(0, -1).join(', ')} and ${last}.`;
  return { name, bytes: Buffer.from(JSON.stringify({ ...tool, description: `${words} ${tool.description}` })) };
}
