import { missingScopes } from '../../../auth/oauth/scopes.ts';
import { type Decision, decide, decideBy, isStricter, setsOf } from '../../../permissions/decide.ts';
import { policyFacts } from '../../../permissions/policy/format.ts';
import {
  checkClient,
  checkServer,
  checkWorkspace,
  lockedValue,
  NO_POLICY,
  type Policy,
  type PolicyKey,
} from '../../../permissions/policy/policy.ts';
import { CausewayError } from '../../../platform/errors.ts';
import type { Computer, ComputerServer } from './computer.ts';

/** Something on this computer that a policy takes from its user, or gives them. */
export interface PolicyEffect {
  what: 'account' | 'server' | 'client' | 'tool' | 'setting';
  /** The name of the profile, the server, the tool or the setting, or the id of the client. */
  name: string;
  /** For a tool, the name of its server. */
  server?: string;
  /** For a tool, the id of the only client for which it holds. */
  client?: string;
  /**
   * `refused`: cannot be used. `asks`: each call waits for the user. `signs-in`: has to sign in again, through the organization's OAuth
   * application or into another store. `stays`: cannot be removed. `added`, `replaced`: by a required server. `locked`: cannot be changed.
   */
  effect: 'refused' | 'asks' | 'signs-in' | 'stays' | 'added' | 'replaced' | 'locked';
  /** The key that decides it. */
  key: PolicyKey;
  /** As a sentence. */
  why: string;
  /** Whether users cannot change it. */
  locked: boolean;
}

/** What a policy does to this computer. The policy can be used; nothing is written (pure). */
export function effectsOf(policy: Policy, computer: Computer): PolicyEffect[] {
  return [
    ...accountEffects(policy, computer),
    ...serverEffects(policy, computer),
    ...requiredEffects(policy, computer),
    ...clientEffects(policy, computer),
    ...toolEffects(policy, computer),
    ...settingEffects(policy),
  ];
}

/** Whether two effects are the same thing for the user. */
export function isSameEffect(one: PolicyEffect, other: PolicyEffect): boolean {
  return (['what', 'name', 'server', 'client', 'effect'] as const).every((member) => one[member] === other[member]);
}

/** Whether a check of the policy refuses. @throws what is not a refusal */
function isRefused(check: () => void): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'managed') return true;
    throw error;
  }
}

function accountEffects(policy: Policy, { accounts, tokenStore }: Computer): PolicyEffect[] {
  const application = lockedValue(policy, 'oauthApplication');
  const store = lockedValue(policy, 'tokenStore');
  const isElsewhere = store !== undefined && tokenStore !== undefined && store !== tokenStore;
  return accounts.flatMap(({ profile: name, host, signsIn }): PolicyEffect[] => {
    const why = `${host} is not an allowed workspace.`;
    if (isRefused(() => checkWorkspace(policy, host)))
      return [{ what: 'account', name, effect: 'refused', key: 'workspaces', why, locked: true }];
    if (!signsIn) return [];
    const signIn = { what: 'account', name, effect: 'signs-in', locked: true } as const;
    if (!application && isElsewhere) {
      return [
        {
          ...signIn,
          key: 'tokenStore',
          why: `Secrets are kept in the ${placeOf(tokenStore)} now, not in the ${placeOf(store)}.`,
        },
      ];
    }
    if (!application) return [];
    const through = `Sign-ins must use the OAuth application "${application.clientId}".`;
    return [{ ...signIn, key: 'oauthApplication', why: through }];
  });
}

function serverEffects(policy: Policy, { servers, accounts }: Computer): PolicyEffect[] {
  const scopes = lockedValue(policy, 'oauthApplication')?.scopes;
  return servers.flatMap(({ name, path, host, profile }): PolicyEffect[] => {
    if (host === undefined) return [];
    const signsIn = accounts.some((account) => account.profile === profile && account.signsIn);
    const [scope] = scopes && signsIn ? missingScopes(scopes, [path]) : [];
    const refused = (key: PolicyKey, why: string): PolicyEffect[] => [
      { what: 'server', name, effect: 'refused', key, why, locked: true },
    ];
    if (isRefused(() => checkWorkspace(policy, host)))
      return refused('workspaces', `${host} is not an allowed workspace.`);
    if (isRefused(() => checkServer(policy, path))) return refused('servers', `${path} is not an allowed server.`);
    return scope === undefined ? [] : refused('oauthApplication', `Sign-ins may not request its scope, "${scope}".`);
  });
}

function requiredEffects(policy: Policy, { servers }: Computer): PolicyEffect[] {
  return (lockedValue(policy, 'requiredServers') ?? []).map(({ name, path, profile }): PolicyEffect => {
    const base = { what: 'server', name, key: 'requiredServers', locked: true } as const;
    const present = servers.find((server) => server.name === name);
    if (!present) return { ...base, effect: 'added', why: `It is required: ${path} as ${profile}.` };
    if (present.path === path && present.profile === profile) {
      return { ...base, effect: 'stays', why: 'It is required, and cannot be changed or removed.' };
    }
    return { ...base, effect: 'replaced', why: `Another server of this name is required: ${path} as ${profile}.` };
  });
}

function clientEffects(policy: Policy, { clients }: Computer): PolicyEffect[] {
  const required = lockedValue(policy, 'requiredClients') ?? [];
  const found = clients
    .filter(({ isInstalled, entries }) => isInstalled || entries.length > 0)
    .flatMap((client): PolicyEffect[] => {
      const { id: name, entries } = client;
      const refused = isRefused(() => checkClient(policy, client));
      const rest = entries.length === 0 ? '' : ` What is there stays and works: ${entries.join(', ')}.`;
      const why = `It is not an allowed AI client: no entries can be written.${rest}`;
      if (refused) return [{ what: 'client', name, effect: 'refused', key: 'clients', why, locked: true }];
      if (!required.includes(name)) return [];
      const stays =
        entries.length === 0
          ? 'It is required, and has no entries yet.'
          : 'It is required: its entries cannot be removed.';
      return [{ what: 'client', name, effect: 'stays', key: 'requiredClients', why: stays, locked: true }];
    });
  if (required.length === 0) return found;
  const why = `It cannot be removed, because of the entries of ${required.join(', ')}.`;
  return [...found, { what: 'setting', name: 'Causeway', effect: 'stays', key: 'requiredClients', why, locked: true }];
}

/** A client that no permission names. */
const ANY_CLIENT = '';

function toolEffects(policy: Policy, { servers, permissions: own }: Computer): PolicyEffect[] {
  if (!own) return [];
  const ruled = Object.entries(policy.keys.rules?.value.clients ?? {});
  return servers.flatMap((server) => {
    const { key, tools = [] } = server;
    if (key === undefined || isRefused(() => checkServer(policy, server.path))) return [];
    return tools.flatMap(({ name: tool, hints }) => {
      const decided = (by: Policy, client: string) => decide({ own, policy: by }, { server: key, tool, client, hints });
      const locked = (client: string, after: Decision) =>
        decideBy('organization', setsOf(policy, key).locked, { server: key, tool, client, hints }).do === after.do;
      const general = decided(policy, ANY_CLIENT);
      const ofAll = isStricter(general.do, decided(NO_POLICY, ANY_CLIENT).do)
        ? [toolEffect(policy, server, tool, general, locked(ANY_CLIENT, general))]
        : [];
      const ofClients = ruled.flatMap(
        ([
          id,
          {
            wireNames: [wireName = ANY_CLIENT],
          },
        ]) => {
          const after = decided(policy, wireName);
          const isOwn = isStricter(after.do, general.do) && isStricter(after.do, decided(NO_POLICY, wireName).do);
          return isOwn ? [{ ...toolEffect(policy, server, tool, after, locked(wireName, after)), client: id }] : [];
        },
      );
      return [...ofAll, ...ofClients];
    });
  });
}

function toolEffect(
  policy: Policy,
  { name: server }: ComputerServer,
  name: string,
  decision: Decision,
  locked: boolean,
): PolicyEffect {
  const base = { what: 'tool', name, server, locked } as const;
  if (decision.do !== 'block') {
    return { ...base, effect: 'asks', key: 'rules', why: 'Each call waits for the user.' };
  }
  const isReadOnly = decision.why === 'read-only' || decision.why === 'unlisted';
  const key = isReadOnly && policy.keys.readOnly?.value ? 'readOnly' : 'rules';
  const why = isReadOnly
    ? 'Only tools that read may be used.'
    : decision.why === 'new'
      ? 'New tools are off.'
      : 'It is off.';
  return { ...base, effect: 'refused', key, why };
}

function placeOf(store: string): string {
  return store.replace('-', ' ');
}

/** What users cannot choose any longer. */
const SETTINGS: readonly PolicyKey[] = [
  'tokenStore',
  'updates',
  'recordContents',
  'lookUpStatements',
  'activityDays',
  'askInClients',
  'audit',
  'requestTags',
];

function settingEffects(policy: Policy): PolicyEffect[] {
  return policyFacts(policy).flatMap(({ key, title: name, value, locked }): PolicyEffect[] =>
    locked && SETTINGS.includes(key)
      ? [{ what: 'setting', name, effect: 'locked', key, why: `It is ${value}.`, locked: true }]
      : [],
  );
}
