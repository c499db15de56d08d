import { join } from 'node:path';
import { ACTIVITY_DAYS, USUAL_ACTIVITY_DAYS } from '../../preload/contract/activity-days.ts';
import { defaultValue, lockedValue, type Policy } from '../permissions/policy/policy.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import { readBounded } from '../platform/bounded-file.ts';
import { jsonIn } from '../platform/json.ts';
import { configFolder, SETTINGS_NAME } from '../platform/paths.ts';

/**
 * For how many days calls are kept, for a process without the window, which loads no schemas for it. Never rejects: settings that cannot
 * be read are those that nobody has chosen.
 */
export async function keptDays(env: NodeJS.ProcessEnv): Promise<number> {
  const [policy, chosen] = await Promise.all([currentPolicy(), chosenDays(env)]);
  return Number(lockedDays(policy) ?? chosen ?? defaultValue(policy, 'activityDays') ?? USUAL_ACTIVITY_DAYS);
}

/** Where a policy cannot be used, no call is made that could be kept. */
function lockedDays(policy: Policy): string | undefined {
  return policy.problem ? undefined : lockedValue(policy, 'activityDays');
}

async function chosenDays(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const bytes = await readBounded(join(configFolder(env), `${SETTINGS_NAME}.json`), 'own').catch(() => undefined);
  const stored = jsonIn(String(bytes));
  if (typeof stored !== 'object' || stored === null || !('activityDays' in stored)) return undefined;
  return ACTIVITY_DAYS.find((days) => days === stored.activityDays);
}
