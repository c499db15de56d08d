import { CausewayError } from '../platform/errors.ts';
import { type Deciding, type Decision, decide, isUnrestricted, setsOf, type ToolHints } from './decide.ts';
import type { PermissionsFile } from './permissions-file.ts';
import { systemPolicy } from './policy/system-policy.ts';

export type ServerPermissions = ReturnType<typeof permissionsOfServer>;

/**
 * What AI clients may do with the tools of one server: the user's permissions and the organization's policy, as they were last read.
 * @param server a `serverKey`
 */
export function permissionsOfServer(file: PermissionsFile, server: string) {
  const policyFile = systemPolicy();
  let known: (Deciding & { isEmpty: boolean }) | undefined;
  return {
    /** Checks both. If one has changed, resolves when it has been read; undefined if neither has. */
    refresh(): Promise<unknown> | undefined {
      const [one, other] = [policyFile.refresh(), file.refresh()];
      return one && other ? Promise.all([one, other]) : (one ?? other);
    },
    /** Whether nothing restricts this server's tools. */
    get isEmpty(): boolean {
      const [own, policy] = [file.permissions, policyFile.current];
      if (known?.own !== own || known.policy !== policy) {
        const { locked, byDefault } = setsOf(policy, server);
        const isEmpty =
          !(own instanceof CausewayError) &&
          policy.problem === null &&
          [own, ...locked, ...byDefault].every((set) => isUnrestricted(set, server));
        known = { own, policy, isEmpty };
      }
      return known.isEmpty;
    },
    decide: (tool: string, client: string | undefined, hints: ToolHints | undefined): Decision =>
      decide({ own: file.permissions, policy: policyFile.current }, { server, tool, client, hints }),
    /** Calls back after each change of the user's permissions. Returns the function that ends this. */
    subscribe: (listener: () => void): (() => void) => file.subscribe(listener),
  };
}
