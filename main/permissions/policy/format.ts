import { REDACTED, redactKnown } from '../../platform/redact.ts';
import { type AuditTargets, isLocked, listed, type Policy, type PolicyKey, type PolicyValues } from './policy.ts';

/** What each key decides, and its value in words. */
const KEYS: { [Key in PolicyKey]: { title: string; format(value: PolicyValues[Key]): string } } = {
  workspaces: { title: 'Allowed workspaces', format: listed },
  oauthApplication: {
    title: 'OAuth application',
    format: ({ clientId, scopes }) => (scopes ? `${clientId}, scopes ${listed(scopes)}` : clientId),
  },
  servers: { title: 'Allowed servers', format: listed },
  requiredServers: { title: 'Required servers', format: (servers) => listed(servers.map(({ name }) => name)) },
  clients: { title: 'Allowed AI clients', format: listed },
  requiredClients: { title: 'Required AI clients', format: listed },
  readOnly: { title: 'Read only', format: (on) => (on ? 'on' : 'off') },
  rules: {
    title: 'Tool permissions',
    format: ({ all, clients = {}, servers = {} }) =>
      listed([...(all ? ['everything'] : []), ...Object.keys(servers), ...Object.keys(clients)]),
  },
  tokenStore: { title: 'Credential storage', format: (kind) => kind.replace('-', ' ') },
  updates: { title: 'Updates', format: (value) => (value === 'off' ? 'off' : `channel ${value}`) },
  recordContents: { title: 'Content recording', format: (allowed) => (allowed ? 'allowed' : 'off') },
  lookUpStatements: { title: 'Look-up of SQL statements', format: (on) => (on ? 'on' : 'off') },
  activityDays: { title: 'Activity', format: (days) => (days === '0' ? 'in memory only' : `${days} days`) },
  askInClients: { title: 'Approval in AI clients', format: (allowed) => (allowed ? 'allowed' : 'off') },
  audit: { title: 'Call audit', format: formatAudit },
  requestTags: {
    title: 'Request tags',
    format: (tags) => listed(Object.entries(tags).map(([name, value]) => `${name}=${value}`)),
  },
};

/** Every key that a policy can have, in the order in which they are shown. */
export const POLICY_KEYS: readonly PolicyKey[] = Object.keys(KEYS).filter((key): key is PolicyKey => key in KEYS);

/** What a key decides, in a few words. */
export function policyTitle(key: PolicyKey): string {
  return KEYS[key].title;
}

/** One key of a policy, for people. */
export interface PolicyFact {
  key: PolicyKey;
  title: string;
  value: string;
  locked: boolean;
  reason: string | null;
}

/** What a policy decides, in the order of the table; nothing if it cannot be used. */
export function policyFacts(policy: Policy): PolicyFact[] {
  return POLICY_KEYS.flatMap((key) => factOf(policy, key) ?? []);
}

/** That this version leaves something out of a policy, as a sentence; undefined if it does not. */
export function ignoredKeys({ ignored }: Policy): string | undefined {
  if (ignored.length === 0) return undefined;
  return `This version does not know, and ignores as optional: ${listed(ignored)}.`;
}

function factOf<Key extends PolicyKey>(policy: Policy, key: Key): PolicyFact | undefined {
  const entry = policy.keys[key];
  if (!entry) return undefined;
  const { title, format } = KEYS[key];
  return { key, title, value: format(entry.value), locked: isLocked(policy, key), reason: entry.reason ?? null };
}

function formatAudit({ file, otlp, ...how }: AuditTargets): string {
  return listed([
    ...(file ? ['in a file'] : []),
    ...(otlp === undefined ? [] : [`to ${shownCollector(otlp)}`, ...reached(how)]),
  ]);
}

/** How a collector is reached; of headers, only the names. */
function reached({ otlpHeaders = {}, otlpCertificate, otlpCompression }: Omit<AuditTargets, 'file'>): string[] {
  const names = Object.keys(otlpHeaders);
  return [
    ...(names.length === 0 ? [] : [`with the ${names.length === 1 ? 'header' : 'headers'} ${names.join(' and ')}`]),
    ...(otlpCertificate === undefined ? [] : ['with a certificate of its own']),
    ...(otlpCompression === 'gzip' ? ['compressed'] : []),
  ];
}

/** Where calls are audited, without what may be a secret: of headers, the names stay. */
export function shownAudit({ otlp, otlpHeaders, ...rest }: AuditTargets): AuditTargets {
  const names = Object.keys(otlpHeaders ?? {});
  return {
    ...rest,
    ...(otlp === undefined ? {} : { otlp: shownCollector(otlp) }),
    ...(otlpHeaders && { otlpHeaders: Object.fromEntries(names.map((name) => [name, REDACTED])) }),
  };
}

/** The address of a collector without what may be a password in it. */
export function shownCollector(address: string): string {
  return redactKnown(address);
}
