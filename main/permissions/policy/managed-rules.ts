import { type DecidedBy, type Decision, decide, isSilent, isWithoutRules, type ToolUse } from '../decision.ts';
import type { RuleSet, Rules } from '../rules.ts';
import type { ServerRules } from '../rules-file.ts';
import { isRuledServer } from './host-pattern.ts';
import type { Policy } from './policy.ts';
import type { PolicyFile } from './policy-file.ts';

/**
 * The user's rules for a server with those of the organization. Of locked rules and the user's own, the stricter decides;
 * rules that are not locked hold for servers of which the user's own rules say nothing.
 * @param server a `serverKey`
 */
export function managedRules(own: ServerRules, server: string, file: PolicyFile): ServerRules {
  let made: { policy: Policy; locked: Rules[]; byDefault: Rules[]; isEmpty: boolean } | undefined;
  const managed = () => {
    const policy = file.current;
    if (made?.policy !== policy) {
      const [locked, byDefault] = [rulesIn(policy, server, true), rulesIn(policy, server, false)];
      const isEmpty =
        policy.problem === null && [...locked, ...byDefault].every((rules) => isWithoutRules(rules, server));
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

/** As `managedRules`, for one use of a tool under a policy that can be used (pure). @param own the user's own rules */
export function decideUnder(policy: Policy, own: Rules, use: ToolUse): Decision {
  const byDefault = () => byOrganization(strictest(rulesIn(policy, use.server, false), use));
  const ofUser = isSilent(own, use.server) ? byDefault() : decide(own, use);
  return stricter(byOrganization(strictest(lockedRules(policy, use.server), use)), ofUser);
}

/** The rules of a policy that users cannot loosen, for a server, or for all of them. The strictest decides. */
export function lockedRules(policy: Policy, server?: string): Rules[] {
  return rulesIn(policy, server, true);
}

/** What the strictest of several sets of rules decides. */
export function strictest(sets: readonly Rules[], use: ToolUse): Decision {
  return sets.map((rules) => decide(rules, use)).reduce(stricter, { do: 'allow' });
}

/**
 * The rules that a policy has for a server, a set for each name that the policy has for it: its full address, and its path,
 * which means that server in every workspace.
 */
function rulesIn(policy: Policy, server: string | undefined, locked: boolean): Rules[] {
  const { rules, readOnly } = policy.keys;
  const set = rules?.locked === locked && policy.problem === null ? rules.value : {};
  const isReadOnly = readOnly?.value === true && readOnly.locked === locked;
  const general: Rules = {
    version: 1,
    all: { ...set.all, ...(isReadOnly ? { readOnly: true } : {}) },
    ...(set.clients ? { clients: set.clients } : {}),
  };
  if (server === undefined) return [general];
  const named = rulesOfServer(set, server);
  return named.length === 0 ? [general] : named.map((of) => ({ ...general, servers: { [server]: of } }));
}

function rulesOfServer({ servers = {} }: RuleSet, server: string) {
  return Object.entries(servers)
    .filter(([name]) => isRuledServer(name, server))
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
