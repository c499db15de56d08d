import { SERVER_KINDS } from '../../../../preload/contract/server-kinds.ts';
import { missingScopes, scopeForPath } from '../../../auth/oauth/scopes.ts';
import { isAccountHost, isLoopback } from '../../../auth/profiles/host.ts';
import { WORKSPACE_DOMAINS } from '../../../auth/profiles/workspace-url.ts';
import { CLIENTS } from '../../../clients/table.ts';
import { matchesHost } from '../../../permissions/policy/host-pattern.ts';
import type { Policy, PolicyKey, RequiredServer } from '../../../permissions/policy/policy.ts';
import { similarNames } from '../../../platform/similar-names.ts';
import type { Computer } from './computer.ts';
import { issue, type PolicyIssue } from './issue.ts';
import { isAllowedPath, pathIssue } from './paths.ts';
import { permissionIssues } from './permission-references.ts';

/** Everything in a policy that names something which is not there, or that another key of it forbids (pure). */
export function referenceIssues(policy: Policy, computer: Computer): PolicyIssue[] {
  return [
    ...workspaceIssues(policy, computer),
    ...applicationIssues(policy),
    ...serverIssues(policy),
    ...requiredServerIssues(policy, computer),
    ...clientIssues(policy),
    ...permissionIssues(policy, computer),
    ...withoutEffect(policy),
    ...optionalIssues(policy),
  ];
}

/** Domains whose names Databricks gives out to all its customers, besides those of `WORKSPACE_DOMAINS`. */
const SHARED_ZONES =
  /^((cloud|gcp|azure)\.databricks\.(com|us|mil)|\d+\.(azuredatabricks\.net|databricks\.azure\.(us|cn)|gcp\.databricks\.com))$/;

function workspaceIssues({ keys: { workspaces } }: Policy, { accounts }: Computer): PolicyIssue[] {
  const hosts = [...new Set(accounts.map(({ host }) => host))];
  if (workspaces?.locked && workspaces.value.length === 0) {
    return [issue('error', 'workspaces.value', 'It allows no workspace. No user can sign in or call anything.')];
  }
  const seen = new Set<string>();
  return (workspaces?.value ?? []).flatMap((pattern, index) => {
    const at = `workspaces.value.${index}`;
    if (seen.has(pattern)) return [issue('warning', at, `${pattern} is listed twice.`)];
    seen.add(pattern);
    const wrong = hostIssue(at, pattern);
    const isHere = hosts.some((host) => matchesHost(pattern, host));
    const absent =
      isHere || hosts.length === 0
        ? []
        : [issue('warning', at, `No account on this computer is for ${pattern}.`, similarHosts(pattern, hosts))];
    if (wrong?.severity === 'error') return [wrong];
    return wrong ? [wrong, ...absent] : absent;
  });
}

function hostIssue(at: string, pattern: string): PolicyIssue | undefined {
  const [, domain] = pattern.split('*.');
  const { hostname } = new URL(domain === undefined ? pattern : `https://any.${domain}`);
  if (isLoopback(hostname)) return undefined;
  if (domain === undefined && isAccountHost(pattern)) {
    return issue('error', at, `${pattern} is the account console and not a workspace.`);
  }
  if (domain !== undefined && (WORKSPACE_DOMAINS.includes(domain) || SHARED_ZONES.test(domain))) {
    return issue(
      'warning',
      at,
      `${pattern} means the workspaces of all customers of Databricks there, not only yours.`,
    );
  }
  if (WORKSPACE_DOMAINS.some((known) => hostname.endsWith(`.${known}`))) return undefined;
  const suggestions = similarDomains(hostname);
  const message = `${hostname.replace(/^any\./, '*.')} is not a host of Databricks.`;
  return issue(suggestions.length > 0 ? 'error' : 'warning', at, message, suggestions);
}

/** The domains of Databricks that the last labels of a host name are nearly, with the labels before them. */
function similarDomains(hostname: string): string[] {
  return WORKSPACE_DOMAINS.flatMap((domain) => {
    const labels = hostname.split('.');
    const count = domain.split('.').length;
    const close = similarNames(labels.slice(-count).join('.'), [domain]);
    const before = labels
      .slice(0, -count)
      .join('.')
      .replace(/^any(?=\.|$)/, '*');
    return close.length > 0 && before !== '' ? [`https://${before}.${domain}`] : [];
  });
}

function similarHosts(pattern: string, hosts: string[]): string[] {
  return pattern.includes('*') ? [] : similarNames(pattern, hosts);
}

function applicationIssues({ keys: { oauthApplication, servers, requiredServers } }: Policy): PolicyIssue[] {
  if (!oauthApplication) return [];
  const { scopes, clientId } = oauthApplication.value;
  const unknown = issue(
    'note',
    'oauthApplication.value.clientId',
    `Only the workspaces know whether there is an OAuth application "${clientId}". They were not asked.`,
  );
  if (!oauthApplication.locked || scopes === undefined) return [unknown];
  const paths = [
    ...(servers?.value ?? []).filter((pattern) => !pattern.includes('*')),
    ...(requiredServers?.value ?? []).map(({ path }) => path),
  ];
  const missing = missingScopes(scopes, paths).map((scope) => {
    const without = [...new Set(paths.filter((path) => scopeForPath(path) === scope))].join(', ');
    const message = `Sign-ins may not request the scope "${scope}", without which ${without} refuses every call.`;
    return issue('error', 'oauthApplication.value.scopes', message, similarNames(scope, scopes));
  });
  return [unknown, ...missing];
}

function serverIssues({ keys: { servers, requiredServers } }: Policy): PolicyIssue[] {
  if (servers?.locked && servers.value.length === 0 && (requiredServers?.value ?? []).length === 0) {
    return [issue('error', 'servers.value', 'It allows no server. No user can call anything.')];
  }
  return (servers?.value ?? []).flatMap((pattern, index) => pathIssue(`servers.value.${index}`, pattern) ?? []);
}

function requiredServerIssues(policy: Policy, computer: Computer): PolicyIssue[] {
  const required = policy.keys.requiredServers?.value ?? [];
  return required.flatMap((server, index) => {
    const at = `requiredServers.value.${index}`;
    const twice = required.findIndex(({ name }) => name === server.name) !== index;
    return [
      ...(twice ? [issue('error', `${at}.name`, `Two required servers have the name "${server.name}".`)] : []),
      ...(isAllowedPath(policy, server.path)
        ? []
        : [issue('error', `${at}.path`, `It is required, but "servers" does not allow ${server.path}.`)]),
      ...[pathIssue(`${at}.path`, server.path) ?? []].flat(),
      ...kindIssues(`${at}.kind`, server),
      ...profileIssues(`${at}.profile`, server, policy, computer),
    ];
  });
}

function kindIssues(at: string, { kind }: RequiredServer): PolicyIssue[] {
  if (kind === undefined || SERVER_KINDS.some((known) => known === kind)) return [];
  const message = `"${kind}" is not a kind of server. They are ${SERVER_KINDS.join(', ')}.`;
  return [issue('error', at, message, similarNames(kind, SERVER_KINDS))];
}

function profileIssues(at: string, server: RequiredServer, { keys }: Policy, { accounts }: Computer): PolicyIssue[] {
  const names = accounts.map(({ profile }) => profile);
  const account = accounts.find(({ profile }) => profile === server.profile);
  if (!account) {
    const suggestions = similarNames(server.profile, names);
    const message = `There is no profile "${server.profile}" on this computer. "${server.name}" would not work here.`;
    return [issue(suggestions.length > 0 ? 'error' : 'warning', at, message, suggestions)];
  }
  const allowed = keys.workspaces?.locked ? keys.workspaces.value : undefined;
  if (!allowed || allowed.some((pattern) => matchesHost(pattern, account.host))) return [];
  const message = `The profile "${server.profile}" leads to ${account.host}. "workspaces" does not allow that host.`;
  return [issue('error', at, message)];
}

function clientIssues({ keys: { clients, requiredClients } }: Policy): PolicyIssue[] {
  const ids = CLIENTS.map(({ id }) => id);
  const unknown = (['clients', 'requiredClients'] as const).flatMap((key) =>
    ((key === 'clients' ? clients : requiredClients)?.value ?? []).flatMap((id, index) =>
      ids.includes(id)
        ? []
        : [issue('error', `${key}.value.${index}`, `There is no AI client "${id}".`, similarNames(id, ids))],
    ),
  );
  const none =
    clients?.locked && clients.value.length === 0
      ? [issue('warning', 'clients.value', 'It allows no AI client. No entries can be written.')]
      : [];
  const outside = (requiredClients?.value ?? []).flatMap((id, index) =>
    !clients?.locked || clients.value.includes(id)
      ? []
      : [issue('error', `requiredClients.value.${index}`, `It is required, but "clients" does not allow ${id}.`)],
  );
  return [...unknown, ...none, ...outside];
}

/** Locked values that leave everything as it is. */
const NO_EFFECT: [key: PolicyKey, value: unknown, message: string][] = [
  ['readOnly', false, 'A locked "false" forbids nothing: users can still set read only, and need not.'],
  ['recordContents', true, 'A locked "true" forbids nothing: users choose whether to record contents.'],
  ['askInClients', true, 'A locked "true" forbids nothing: AI clients may ask without it.'],
];

function withoutEffect({ keys }: Policy): PolicyIssue[] {
  return NO_EFFECT.flatMap(([key, value, message]) =>
    keys[key]?.locked && keys[key].value === value ? [issue('warning', `${key}.value`, message)] : [],
  );
}

function optionalIssues({ keys, optional, ignored }: Policy): PolicyIssue[] {
  const unknown = optional.filter((name) => !ignored.includes(name) && !Object.hasOwn(keys, name.split('.')[0] ?? ''));
  return [
    ...ignored.map((name) => issue('warning', name, 'This version does not know it, and ignores it as optional.')),
    ...unknown.map((name) =>
      issue('warning', 'optional', `"${name}" is not in this policy.`, similarNames(name, Object.keys(keys))),
    ),
  ];
}
