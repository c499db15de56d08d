import type { Managed } from '../../preload/contract.ts';
import { CLIENTS } from '../clients/table.ts';
import { ignoredKeys, policyFacts } from '../permissions/policy/format.ts';
import { listed, type Policy, type PolicyKey } from '../permissions/policy/policy.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import { problemFor } from './failure.ts';

/** How often the policy is looked at while nothing else asks for it, in milliseconds. */
const LOOK_MS = 10_000;

/** What the organization has decided, for tray and window; null if it has decided nothing. */
function managedState(policy: Policy): Managed | null {
  const { source, organization, contact, problem } = policy;
  if (source === null) return null;
  const keys = policyFacts(policy).map((fact) => {
    const plain = plainOf(policy, fact.key);
    const isOfClients = fact.key === 'clients' || fact.key === 'requiredClients';
    return { ...fact, plain, value: isOfClients && Array.isArray(plain) ? listed(plain.map(clientName)) : fact.value };
  });
  return {
    source,
    organization,
    contact,
    problem: problem && problemFor(problem),
    ignored: ignoredKeys(policy) ?? null,
    keys,
  };
}

/** What the window needs to know of a value to lock the right controls. */
function plainOf({ keys }: Policy, key: PolicyKey): string[] | boolean | null {
  if (key === 'requiredServers') return keys.requiredServers?.value.map(({ name }) => name) ?? null;
  if (key === 'updates') return keys.updates ? keys.updates.value !== 'off' : null;
  const value = keys[key]?.value;
  return typeof value === 'boolean' || Array.isArray(value) ? value : null;
}

function clientName(id: string): string {
  return CLIENTS.find((client) => client.id === id)?.name ?? id;
}

/** Shows the policy now and whenever it has changed, until the function that is returned is called. */
export function watchPolicy(show: (managed: Managed | null) => void): () => void {
  let shown: Policy | undefined;
  const look = async () => {
    const policy = await currentPolicy();
    if (policy === shown) return;
    shown = policy;
    show(managedState(policy));
  };
  void look();
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
