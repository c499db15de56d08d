import { type DecidedBy, type Decision, decide, isSilent, isUnrestricted, type ToolUse } from '../decision.ts';
import type { PermissionSet, Permissions } from '../permissions.ts';
import type { ServerPermissions } from '../permissions-file.ts';
import { isNamedServer } from './host-pattern.ts';
import type { Policy } from './policy.ts';
import type { PolicyFile } from './policy-file.ts';

/**
 * The user's permissions for a server with those of the organization. Of locked permissions and the user's own, the stricter decides;
 * permissions that are not locked hold for servers of which the user's own permissions say nothing.
 * @param server a `serverKey`
 */
export function managedPermissions(own: ServerPermissions, server: string, file: PolicyFile): ServerPermissions {
  let made: { policy: Policy; locked: Permissions[]; byDefault: Permissions[]; isEmpty: boolean } | undefined;
  const managed = () => {
    const policy = file.current;
    if (made?.policy !== policy) {
      const [locked, byDefault] = [permissionsIn(policy, server, true), permissionsIn(policy, server, false)];
      const isEmpty =
        policy.problem === null &&
        [...locked, ...byDefault].every((permissions) => isUnrestricted(permissions, server));
      made = { policy, locked, byDefault, isEmpty };
    }
    return made;
  };
  return {
    refresh: () => both(file.refresh(), own.refresh()),
    get isEmpty() {
      return own.isEmpty && managed().isEmpty;
    },
    get isSilent() {
      return own.isSilent && managed().isEmpty;
    },
    decide(tool, client, hints) {
      const { policy, locked, byDefault } = managed();
      if (policy.problem) return { do: 'refuse', why: 'unreadable', error: policy.problem };
      const use = { server, tool, client, hints };
      const ofUser = own.isSilent ? byOrganization(strictest(byDefault, use)) : own.decide(tool, client, hints);
      return stricter(byOrganization(strictest(locked, use)), ofUser);
    },
    subscribe: (listener) => own.subscribe(listener),
  };
}

/** As `managedPermissions`, for one use of a tool under a policy that can be used (pure). @param own the user's own permissions */
export function decideUnder(policy: Policy, own: Permissions, use: ToolUse): Decision {
  const byDefault = () => byOrganization(strictest(permissionsIn(policy, use.server, false), use));
  const ofUser = isSilent(own, use.server) ? byDefault() : decide(own, use);
  return stricter(byOrganization(strictest(lockedPermissions(policy, use.server), use)), ofUser);
}

/** The permissions of a policy that users cannot loosen, for a server, or for all of them. The strictest decides. */
export function lockedPermissions(policy: Policy, server?: string): Permissions[] {
  return permissionsIn(policy, server, true);
}

/** What the strictest of several sets of permissions decides. */
export function strictest(sets: readonly Permissions[], use: ToolUse): Decision {
  return sets.map((permissions) => decide(permissions, use)).reduce(stricter, { do: 'allow' });
}

/**
 * The permissions that a policy has for a server, a set for each name that the policy has for it: its full address, and its path,
 * which means that server in every workspace.
 */
function permissionsIn(policy: Policy, server: string | undefined, locked: boolean): Permissions[] {
  const { rules, readOnly } = policy.keys;
  const set = rules?.locked === locked && policy.problem === null ? rules.value : {};
  const isReadOnly = readOnly?.value === true && readOnly.locked === locked;
  const general: Permissions = {
    version: 1,
    all: { ...set.all, ...(isReadOnly ? { readOnly: true } : {}) },
    ...(set.clients ? { clients: set.clients } : {}),
  };
  if (server === undefined) return [general];
  const named = permissionsOfServer(set, server);
  return named.length === 0 ? [general] : named.map((of) => ({ ...general, servers: { [server]: of } }));
}

function permissionsOfServer({ servers = {} }: PermissionSet, server: string) {
  return Object.entries(servers)
    .filter(([name]) => isNamedServer(name, server))
    .map(([, of]) => of);
}

const STRICTNESS = { refuse: 2, ask: 1, allow: 0 } as const;

function stricter<One extends { do: keyof typeof STRICTNESS }, Other extends { do: keyof typeof STRICTNESS }>(
  one: One,
  other: Other,
): One | Other {
  return STRICTNESS[one.do] >= STRICTNESS[other.do] ? one : other;
}

/** Whether a decision leaves less than another one. */
export function looserThan(decision: Decision['do'], other: Decision['do']): boolean {
  return STRICTNESS[decision] > STRICTNESS[other];
}

function byOrganization(decision: Decision): Decision {
  if (decision.do === 'allow') return decision;
  const by: DecidedBy = { ...decision.by, isManaged: true };
  return { ...decision, by };
}

function both(one: Promise<void> | undefined, other: Promise<void> | undefined): Promise<void> | undefined {
  if (one && other) return Promise.all([one, other]).then(() => undefined);
  return one ?? other;
}
