import { CausewayError, sentences } from '../platform/errors.ts';
import { didYouMean, similarNames } from '../platform/similar-names.ts';
import { filterText, type Groups, type ScimGroup } from '../workspace/scim.ts';

/** Who is in a group, those of the groups in it included. */
export interface GroupMembers {
  id: string;
  name: string;
  /** Of users and service principals, each once. */
  userIds: string[];
  /** The names of the groups that are in it, at any depth. */
  nested: string[];
}

/**
 * The members of the group with this name or id, and of the groups that are in it.
 * @throws {CausewayError} `not_found`
 */
export async function membersOf(groups: Groups, text: string, signal?: AbortSignal): Promise<GroupMembers> {
  const { id, displayName } = await findGroup(groups, text.trim(), signal);
  const userIds = new Set<string>();
  const nested = new Map<string, string>();
  const queue = [id];
  const seen = new Set(queue);
  for (const groupId of queue) {
    const group = await groups.get(groupId, signal);
    if (groupId !== id) nested.set(groupId, group.displayName);
    for (const { value, $ref = '' } of group.members) {
      if (!/(^|\/)Groups\//.test($ref)) userIds.add(value);
      else if (!seen.has(value)) {
        seen.add(value);
        queue.push(value);
      }
    }
  }
  return { id, name: displayName, userIds: [...userIds], nested: [...nested.values()] };
}

/** Only a whole name: what is changed for many must not depend on a guess. */
async function findGroup(groups: Groups, text: string, signal?: AbortSignal): Promise<ScimGroup> {
  if (/^\d+$/.test(text)) {
    const group = await groups.get(text, signal).catch((error: unknown) => {
      if (error instanceof CausewayError && error.code === 'not_found') return undefined;
      throw error;
    });
    if (group) return group;
  }
  const [found] = await groups.find(`displayName eq ${filterText(text)}`, signal);
  if (found) return found;
  const all = await groups.find(undefined, signal);
  const names = similarNames(
    text,
    all.map(({ displayName }) => displayName),
  );
  const similar = all.filter(({ displayName }) => names.includes(displayName));
  const candidates = similar.map(({ displayName: name, id }) => ({ name, id }));
  throw new CausewayError('not_found', `There is no group "${text}".`, {
    remedy: sentences(didYouMean(candidates), 'Use the whole name of a group, or its ID.'),
    candidates,
  });
}
