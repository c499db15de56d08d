import type { ActivityDays } from '../../../preload/contract/activity-days.ts';
import { readPathPattern, serverPathKey } from '../../../preload/contract/server-path.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import type { PermissionSet } from '../permissions.ts';
import { matchesHost } from './host-pattern.ts';

/** A server that a policy requires, as the list of servers holds it; without a kind it is an `other`. */
export interface RequiredServer {
  name: string;
  profile: string;
  path: string;
  kind?: string | undefined;
  meta?: Record<string, string> | undefined;
}

/** An OAuth application that a policy names, for every workspace. */
interface PolicyApplication {
  clientId: string;
  scopes?: string[] | undefined;
  callbackPort?: number | undefined;
}

/** Where calls are audited. `otlp` is the address of an OpenTelemetry collector; a policy can say how it is reached. */
export interface AuditTargets {
  file: boolean;
  otlp?: string | undefined;
  /** Go out with each request to the collector. Their values may be secrets, and are never shown. */
  otlpHeaders?: Record<string, string> | undefined;
  /** Certificates that are trusted besides the system's: in PEM, or the path of such a file. */
  otlpCertificate?: string | undefined;
  otlpCompression?: 'gzip' | 'none' | undefined;
}

/** What an organization can decide. */
export interface PolicyValues {
  /** Origins of workspaces, and patterns for them; see `readHostPattern`. */
  workspaces: string[];
  oauthApplication: PolicyApplication;
  /** Patterns for paths of servers; see `readPathPattern`. */
  servers: string[];
  requiredServers: RequiredServer[];
  /** Ids of AI clients, as `causeway clients` lists them. */
  clients: string[];
  requiredClients: string[];
  readOnly: boolean;
  rules: PermissionSet;
  tokenStore: 'keychain' | 'encrypted-file';
  updates: 'off' | 'latest' | 'beta';
  recordContents: boolean;
  /** Whether the query history is asked about the statements of AI clients. */
  lookUpStatements: boolean;
  /** For how many days calls are kept; 0 for memory only. */
  activityDays: ActivityDays;
  /** Whether an AI client may show the question whether one of its calls may run. */
  askInClients: boolean;
  audit: AuditTargets;
  /** Tags of requests to the gateway, by name. A tag that is not named here is the user's. */
  requestTags: Record<string, string>;
}

export type PolicyKey = keyof PolicyValues;

/** One decision: what every user has, or what they have until they choose something else. */
interface PolicyEntry<Value> {
  value: Value;
  locked: boolean;
  /** For the user, as a sentence. */
  reason?: string | undefined;
}

/** What is in force. A policy that cannot be used has a `problem`, and forbids all that a policy can forbid. */
export interface Policy {
  /** The file, or the key of the registry; null if there is no policy. */
  source: string | null;
  organization: string | null;
  /** Whom users ask, such as a mail address. */
  contact: string | null;
  problem: CausewayError | null;
  keys: { readonly [Key in PolicyKey]?: PolicyEntry<PolicyValues[Key]> | undefined };
  /** The keys that versions which do not know them may ignore. */
  optional: readonly string[];
  /** Those of them that this version does not know, and ignores. */
  ignored: readonly string[];
}

/** Where no organization has said anything. */
export const NO_POLICY: Policy = {
  source: null,
  organization: null,
  contact: null,
  problem: null,
  keys: {},
  optional: [],
  ignored: [],
};

/** The value that users cannot change. @throws {CausewayError} `managed` if the policy cannot be used */
export function lockedValue<Key extends PolicyKey>(policy: Policy, key: Key): PolicyValues[Key] | undefined {
  if (policy.problem) throw policy.problem;
  const entry = policy.keys[key];
  return entry?.locked ? entry.value : undefined;
}

/** The value that users have until they choose another one. */
export function defaultValue<Key extends PolicyKey>(policy: Policy, key: Key): PolicyValues[Key] | undefined {
  const entry = policy.keys[key];
  return entry?.locked === false ? entry.value : undefined;
}

/** Whether users can change what a key decides. A policy that cannot be used may lock any key. */
export function isLocked(policy: Policy, key: PolicyKey): boolean {
  return policy.problem !== null || policy.keys[key]?.locked === true;
}

/** The refusal of something that a key forbids. `what` is a sentence without its full stop. */
export function managedError(policy: Policy, key: PolicyKey, what: string): CausewayError {
  if (policy.problem) return policy.problem;
  const { source, organization, contact } = policy;
  const whose = organization === null ? 'your organization' : `your organization (${organization})`;
  return new CausewayError('managed', `Managed by ${whose}: ${what}.`, {
    remedy: sentences(policy.keys[key]?.reason, `${askWhom(contact)} The policy is ${source}, key "${key}".`),
  });
}

/** @throws {CausewayError} `managed` if a workspace may not be used */
export function checkWorkspace(policy: Policy, host: string): void {
  const allowed = lockedValue(policy, 'workspaces');
  if (allowed === undefined || allowed.some((pattern) => matchesHost(pattern, host))) return;
  throw managedError(policy, 'workspaces', `${host} is not allowed, only ${listed(allowed)}`);
}

/** @throws {CausewayError} `managed` if a server may not be used */
export function checkServer(policy: Policy, path: string): void {
  const allowed = lockedValue(policy, 'servers');
  if (allowed === undefined) return;
  const asked = serverPathKey(path);
  const required = (lockedValue(policy, 'requiredServers') ?? []).map((server) => serverPathKey(server.path));
  if (asked !== undefined && (required.includes(asked) || allowed.some((pattern) => isMatch(pattern, asked)))) return;
  throw managedError(policy, 'servers', `the server ${path} is not allowed, only ${listed(allowed)}`);
}

/** @throws {CausewayError} `managed` if no entry may be written for an AI client */
export function checkClient(policy: Policy, { id, name }: { id: string; name: string }): void {
  const allowed = lockedValue(policy, 'clients');
  if (allowed === undefined || allowed.includes(id)) return;
  throw managedError(policy, 'clients', `${name} is not allowed to have entries, only ${listed(allowed)}`);
}

/** What holds only for calls that go through Causeway. */
const THROUGH_CAUSEWAY = ['readOnly', 'rules', 'audit', 'oauthApplication', 'requestTags'] as const;

/** @throws {CausewayError} `managed` if no AI client may connect to a server by itself, past what the policy decides */
export function checkDirect(policy: Policy): void {
  for (const key of THROUGH_CAUSEWAY) {
    const value = lockedValue(policy, key);
    if (value === undefined || value === false) continue;
    throw managedError(policy, key, 'AI clients connect through Causeway, not directly');
  }
}

/** @throws {CausewayError} `managed` if the entries of an AI client have to stay */
export function checkRemoval(policy: Policy, { id, name }: { id: string; name: string }): void {
  if (!lockedValue(policy, 'requiredClients')?.includes(id)) return;
  throw managedError(policy, 'requiredClients', `the entries of ${name} must stay`);
}

/** @throws {CausewayError} `managed` if Causeway has to stay, because AI clients have to keep its entries */
export function checkUninstall(policy: Policy): void {
  const required = lockedValue(policy, 'requiredClients') ?? [];
  if (required.length === 0) return;
  throw managedError(policy, 'requiredClients', `Causeway must stay for the entries of ${listed(required)}`);
}

/** Whom to ask, as a sentence. */
export function askWhom(contact: string | null): string {
  return contact === null ? 'Ask your administrator.' : `Ask your administrator (${contact}).`;
}

/** Items of a list, or that there are none. */
export function listed(items: readonly string[]): string {
  return items.length === 0 ? 'none' : items.join(', ');
}

function isMatch(pattern: string, key: string): boolean {
  const matches = readPathPattern(pattern);
  return typeof matches === 'function' && matches(key);
}
