import { isSqlServer } from '../../../../preload/contract/server-kinds.ts';
import { CLIENTS } from '../../../clients/table.ts';
import { SQL_TOOLS } from '../../../permissions/decide.ts';
import type { PermissionSet, ToolPermissions } from '../../../permissions/permissions.ts';
import { isNamedServer, matchesHost, readNamedServer } from '../../../permissions/policy/host-pattern.ts';
import type { Policy } from '../../../permissions/policy/policy.ts';
import { SWITCHES } from '../../../permissions/switches.ts';
import { similarNames } from '../../../platform/similar-names.ts';
import { isWireName } from '../../../platform/wire-name.ts';
import type { Computer } from './computer.ts';
import { issue, type PolicyIssue } from './issue.ts';
import { isAllowedPath, pathIssue } from './paths.ts';

/** What the permissions of a policy name that is not there (pure). */
export function permissionIssues(policy: Policy, computer: Computer): PolicyIssue[] {
  const { servers = {}, clients = {} } = policy.keys.rules?.value ?? {};
  return [
    ...clientIssues(clients),
    ...Object.entries(servers).flatMap(([name, permissions]) => {
      const at = `rules.value.servers.${name}`;
      return [
        ...placeIssues(at, name, policy),
        ...toolIssues(
          at,
          name,
          [
            ['', permissions],
            ...Object.entries(permissions.clients ?? {}).map(([id, of]) => [`.clients.${id}`, of] as const),
          ],
          computer,
        ),
      ];
    }),
  ];
}

/** A client is known by the names that it gives itself. Of two clients with the same name, the permissions of the second never apply. */
function clientIssues(clients: NonNullable<PermissionSet['clients']>): PolicyIssue[] {
  const described = Object.entries(clients);
  const known = CLIENTS.flatMap(({ wireNames }) => wireNames);
  return described.flatMap(([id, { wireNames }], index) => {
    const at = `rules.value.clients.${id}`;
    const own = CLIENTS.find((client) => client.id === id)?.wireNames ?? [];
    const isKnown = (name: string) => known.some((wireName) => isWireName(name, wireName));
    const unknown = wireNames.filter((name) => !isKnown(name));
    const wrong = unknown.map((name) => {
      const suggestions = similarNames(name, own.length > 0 ? own : known);
      const message = `No AI client that Causeway knows calls itself "${name}".`;
      return issue(suggestions.length > 0 ? 'error' : 'warning', `${at}.wireNames`, message, suggestions);
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
            `"${id}" does not call itself ${wireNames.join(' or ')}: the permissions would apply to another AI client.`,
            [...own],
          ),
        ]
      : [];
    const [earlier] =
      described.slice(0, index).find(([, before]) => before.wireNames.some((name) => wireNames.includes(name))) ?? [];
    const shared =
      earlier === undefined
        ? []
        : [
            issue(
              'error',
              `${at}.wireNames`,
              `"${earlier}" has one of these names too. Only its permissions would apply.`,
            ),
          ];
    return [...wrong, ...other, ...shared];
  });
}

function placeIssues(at: string, name: string, policy: Policy): PolicyIssue[] {
  const ruled = readNamedServer(name);
  if (!ruled) return [];
  const { workspaces } = policy.keys;
  const hosts = workspaces?.locked ? workspaces.value : undefined;
  const { host, path } = ruled;
  const isReachable =
    host === undefined ||
    hosts === undefined ||
    hosts.some((pattern) => pattern === host || matchesHost(pattern, host) || matchesHost(host, pattern));
  const isRequired = policy.keys.requiredServers?.value.some((server) =>
    isNamedServer(path, `https://x.example${server.path}`),
  );
  return [
    ...[pathIssue(at, path) ?? []].flat(),
    ...(isReachable
      ? []
      : [
          issue(
            'error',
            at,
            `"workspaces" does not allow ${host}. These permissions apply to nothing.`,
            similarNames(host, hosts),
          ),
        ]),
    ...(isRequired || isAllowedPath(policy, path)
      ? []
      : [issue('warning', at, `"servers" does not allow ${path}. These permissions apply to nothing.`)]),
  ];
}

type Lists = readonly (readonly [where: string, permissions: ToolPermissions])[];

function toolIssues(at: string, name: string, lists: Lists, { servers }: Computer): PolicyIssue[] {
  const named = lists.flatMap(([where, permissions]) =>
    SWITCHES.flatMap((state) =>
      (permissions[state] ?? []).map((tool) => ({ at: `${at}${where}.${state}`, tool, state })),
    ),
  );
  if (named.length === 0) return [];
  const here = servers.filter(({ key }) => key !== undefined && isNamedServer(name, key));
  const path = readNamedServer(name)?.path ?? '';
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
      const suggestions = similarNames(tool, known);
      return issue(
        suggestions.length > 0 ? 'error' : 'warning',
        place,
        `The server has no tool "${tool}".`,
        suggestions,
      );
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
