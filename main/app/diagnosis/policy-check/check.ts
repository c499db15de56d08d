import type { Policy } from '../../../permissions/policy/policy.ts';
import type { Computer } from './computer.ts';
import { effectsOf, isSameEffect, type PolicyEffect } from './effects.ts';
import { issue, type PolicyIssue } from './issue.ts';
import { referenceIssues } from './references.ts';

export interface PolicyTrial {
  /** The errors first, then the warnings, then the notes. */
  issues: PolicyIssue[];
  /** What the policy does to this computer, and whether the policy that is in force does so already. */
  effects: (PolicyEffect & { already: boolean })[];
}

/**
 * Tries a policy on this computer: what it names that is not there, and what its user would lose (pure).
 * @param policy one that can be used
 * @param current the policy that is in force
 */
export function tryPolicy(policy: Policy, current: Policy, computer: Computer): PolicyTrial {
  const effects = effectsOf(policy, computer);
  const before = current.problem ? [] : effectsOf(current, computer);
  const { home, problem } = computer;
  const unknown = problem === undefined ? [] : [issue('note', home, `It was not tried on this computer. ${problem}`)];
  const issues = [...lockouts(effects, computer), ...referenceIssues(policy, computer), ...unknown];
  return {
    issues: SEVERITIES.flatMap((severity) => issues.filter((each) => each.severity === severity)),
    effects: effects.map((effect) => ({ ...effect, already: before.some((other) => isSameEffect(effect, other)) })),
  };
}

const SEVERITIES: readonly PolicyIssue['severity'][] = ['error', 'warning', 'note'];

/** That nothing of a kind is left to the user of this computer. */
function lockouts(effects: readonly PolicyEffect[], { accounts, servers, clients }: Computer): PolicyIssue[] {
  const refused = (what: PolicyEffect['what']) =>
    effects.filter((each) => each.what === what && each.effect === 'refused');
  const inUse = clients.filter(({ entries }) => entries.length > 0).map(({ id }) => id);
  const usable = servers.filter(({ host }) => host !== undefined).map(({ name }) => name);
  const profiles = accounts.map(({ profile }) => profile);
  const isAll = (all: string[], what: PolicyEffect['what']) =>
    all.length > 0 && all.every((name) => refused(what).some((each) => each.name === name));
  const [firstServer] = refused('server');
  const noTools = servers.filter(
    ({ name, tools = [] }) =>
      tools.length > 0 &&
      tools.every((tool) => refused('tool').some((each) => each.server === name && each.name === tool.name)),
  );
  return [
    ...(isAll(profiles, 'account')
      ? [issue('error', 'workspaces.value', `No account on this computer could be used: ${profiles.join(', ')}.`)]
      : []),
    ...(isAll(usable, 'server') && firstServer
      ? [issue('error', `${firstServer.key}.value`, `No server on this computer could be used: ${usable.join(', ')}.`)]
      : []),
    ...(isAll(inUse, 'client')
      ? [
          issue(
            'error',
            'clients.value',
            `No AI client that has entries on this computer could get others: ${inUse.join(', ')}.`,
          ),
        ]
      : []),
    ...noTools.map(({ name }) => issue('warning', 'rules', `No tool of "${name}" could be used.`)),
  ];
}
