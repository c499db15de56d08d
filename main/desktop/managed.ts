import type { Managed } from '../../preload/contract.ts';
import { policyFacts } from '../policy/format.ts';
import type { Policy } from '../policy/policy.ts';
import { currentPolicy } from '../policy/system-policy.ts';
import { problemFor } from './failure.ts';

/** How often the policy is looked at while nothing else asks for it, in milliseconds. */
const LOOK_MS = 10_000;

/** What the organization has decided, for tray and window; null where it has decided nothing. */
function managedState(policy: Policy): Managed | null {
  const { source, organization, contact, problem } = policy;
  if (source === null) return null;
  return { source, organization, contact, problem: problem && problemFor(problem), keys: policyFacts(policy) };
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
