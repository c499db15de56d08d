import { isSqlServer } from '../../../../preload/contract/server-kinds.ts';
import { CLIENTS } from '../../../clients/table.ts';
import { SQL_TOOLS } from '../../../permissions/decision.ts';
import { isRuledServer, matchesHost, readRuledServer } from '../../../permissions/policy/host-pattern.ts';
import type { Policy } from '../../../permissions/policy/policy.ts';
import type { RuleSet, ToolRules } from '../../../permissions/rules.ts';
import { SWITCHES } from '../../../permissions/switches.ts';
import { isWireName } from '../../../platform/wire-name.ts';
import type { Computer } from './computer.ts';
import { issue, type PolicyIssue } from './issue.ts';
import { meantBy } from './meant.ts';
import { isAllowedPath, pathIssue } from './paths.ts';

/** What the rules of a policy name that is not there (pure). */
export function ruleIssues(policy: Policy, computer: Computer): PolicyIssue[] {
  const { servers = {}, clients = {} } = policy.keys.rules?.value ?? {};
  return [
    ...clientIssues(clients),
    ...Object.entries(servers).flatMap(([name, rules]) => {
      const at = `rules.value.servers.${name}`;
      return [
        ...placeIssues(at, name, policy),
        ...toolIssues(
          at,
          name,
          [['', rules], ...Object.entries(rules.clients ?? {}).map(([id, of]) => [`.clients.${id}`, of] as const)],
          computer,
        ),
      ];
    }),
  ];
}

/** A client is known by the names that it gives itself. Of two clients with the same name, the rules of the second never apply. */
function clientIssues(clients: NonNullable<RuleSet['clients']>): PolicyIssue[] {
  const described = Object.entries(clients);
  const known = CLIENTS.flatMap(({ wireNames }) => wireNames);
  return described.flatMap(([id, { wireNames }], index) => {
    const at = `rules.value.clients.${id}`;
    const own = CLIENTS.find((client) => client.id === id)?.wireNames ?? [];
    const isKnown = (name: string) => known.some((wireName) => isWireName(name, wireName));
    const unknown = wireNames.filter((name) => !isKnown(name));
    const wrong = unknown.map((name) => {
      const meant = meantBy(name, own.length > 0 ? own : known);
      const message = `No AI client that Causeway knows calls itself "${name}".`;
      return issue(meant.length > 0 ? 'error' : 'warning', `${at}.wireNames`, message, meant);
    });
    const isOther =
      own.length > 0 &&
      unknown.length === 0 &&
      !wireNames.some((name) => own.some((wireName) => isWireName(name, wireName)));
    const other = isOther
      ? [
          issue(
            'error',
            `${at}.wireNames`,
            `"${id}" does not call itself ${wireNames.join(' or ')}: the rules would apply to another AI client.`,
            [...own],
          ),
        ]
      : [];
    const [earlier] =
      described.slice(0, index).find(([, before]) => before.wireNames.some((name) => wireNames.includes(name))) ?? [];
    const shared =
      earlier === undefined
        ? []
        : [issue('error', `${at}.wireNames`, `"${earlier}" has one of these names too. Only its rules would apply.`)];
    return [...wrong, ...other, ...shared];
  });
}

function placeIssues(at: string, name: string, policy: Policy): PolicyIssue[] {
  const ruled = readRuledServer(name);
  if (!ruled) return [];
  const { workspaces } = policy.keys;
  const hosts = workspaces?.locked ? workspaces.value : undefined;
  const { host, path } = ruled;
  const isReachable =
    host === undefined ||
    hosts === undefined ||
    hosts.some((pattern) => pattern === host || matchesHost(pattern, host) || matchesHost(host, pattern));
  const isRequired = policy.keys.requiredServers?.value.some((server) =>
    isRuledServer(path, `https://x.example${server.path}`),
  );
  return [
    ...[pathIssue(at, path) ?? []].flat(),
    ...(isReachable
      ? []
      : [
          issue(
            'error',
            at,
            `"workspaces" does not allow ${host}. These rules apply to nothing.`,
            meantBy(host, hosts),
          ),
        ]),
    ...(isRequired || isAllowedPath(policy, path)
      ? []
      : [issue('warning', at, `"servers" does not allow ${path}. These rules apply to nothing.`)]),
  ];
}

type Lists = readonly (readonly [where: string, rules: ToolRules])[];

function toolIssues(at: string, name: string, lists: Lists, { servers }: Computer): PolicyIssue[] {
  const named = lists.flatMap(([where, rules]) =>
    SWITCHES.flatMap((state) => (rules[state] ?? []).map((tool) => ({ at: `${at}${where}.${state}`, tool, state }))),
  );
  if (named.length === 0) return [];
  const here = servers.filter(({ key }) => key !== undefined && isRuledServer(name, key));
  const path = readRuledServer(name)?.path ?? '';
  const known = [
    ...new Set([
      ...(isSqlServer(path) ? SQL_TOOLS : []),
      ...here.flatMap(({ tools = [] }) => tools.map((tool) => tool.name)),
    ]),
  ];
  if (known.length === 0) {
    const [first] = here;
    const how = first ? ` \`causeway servers test ${first.name}\` asks it.` : '';
    return [
      issue('note', at, `The tools of this server are not known on this computer. Their names were not checked.${how}`),
    ];
  }
  const isKnown = (tool: string, state: string) =>
    known.some((each) => each === tool || (state !== 'on' && each.toLowerCase() === tool.toLowerCase()));
  const unknown = named
    .filter(({ tool, state }) => !isKnown(tool, state))
    .map(({ at: place, tool }) => {
      const meant = meantBy(tool, known);
      return issue(meant.length > 0 ? 'error' : 'warning', place, `The server has no tool "${tool}".`, meant);
    });
  const twice = lists.flatMap(([where, { off = [], ask = [], on = [] }]) => [
    ...[...on, ...ask].filter((tool) => off.includes(tool)).map((tool) => ({ where, tool, state: 'off' })),
    ...on.filter((tool) => ask.includes(tool)).map((tool) => ({ where, tool, state: 'ask' })),
  ]);
  return [
    ...unknown,
    ...twice.map(({ where, tool, state }) =>
      issue('warning', `${at}${where}`, `"${tool}" is in several lists. "${state}" decides.`),
    ),
  ];
}
