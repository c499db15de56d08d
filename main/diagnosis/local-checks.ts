import type { AuthService } from '../auth/auth.ts';
import type { CausewayError } from '../platform/errors.ts';
import { sentences } from '../platform/errors.ts';
import { type CheckFinding, fail, failedBecause, pass, skipped, warning } from './finding.ts';

export async function configurationFinding(auth: AuthService): Promise<CheckFinding> {
  try {
    const entries = await auth.profiles();
    const broken = entries.filter(({ usable }) => !usable).map(({ name }) => name);
    if (entries.length === 0) {
      const action = { do: 'add-workspace', profile: undefined } as const;
      return fail('No workspace is set up yet.', { action, screen: 'accounts' });
    }
    const words = entries.length === 1 ? 'It names one workspace.' : `It names ${entries.length} profiles.`;
    if (broken.length === 0) return pass(words);
    return warning(`${words} These cannot be used: ${broken.join(', ')}.`, {
      action: { do: 'see-profiles' },
      screen: 'accounts',
    });
  } catch (error) {
    return failedBecause(error, 'accounts');
  }
}

export async function profileFinding(auth: AuthService, name: string | undefined): Promise<CheckFinding> {
  try {
    const profile = await auth.profile(name);
    return pass(`Profile “${profile.name}” leads to ${profile.host}.`);
  } catch (error) {
    return failedBecause(error, 'accounts');
  }
}

/** A configured server and how it is. */
export interface ServerStatus {
  name: string;
  kind: string;
  path: string;
  /** A name of `ServerHealth`. */
  status: string;
  words: string;
  remedy: string | null;
  /** Why it is not ready, where that is known. */
  problem?: CausewayError | undefined;
}

export function serversFinding(servers: readonly ServerStatus[]): CheckFinding {
  if (servers.length === 0) {
    return warning('No server is set up yet.', { action: { do: 'add-server' }, screen: 'servers' });
  }
  const failing = servers.filter(({ status }) => status !== 'ready' && status !== 'connecting');
  const connecting = servers.filter(({ status }) => status === 'connecting');
  if (failing.length > 0) {
    const words = sentences(...failing.map((server) => `${server.name}: ${server.words}`));
    const error = failing.find(({ problem }) => problem !== undefined)?.problem;
    return fail(words, { advice: remedyOfAll(failing), screen: 'servers' }, error);
  }
  if (connecting.length > 0) return skipped(`Still connecting: ${connecting.map(({ name }) => name).join(', ')}.`);
  return pass(servers.length === 1 ? 'One server is ready.' : `All ${servers.length} servers are ready.`);
}

/** What helps all of them is said once; what helps one is said of that one. */
function remedyOfAll(failing: readonly ServerStatus[]): string | undefined {
  const [first, ...others] = new Set(failing.map(({ remedy }) => remedy));
  if (others.length === 0) return first ?? undefined;
  return sentences(...failing.map(({ name, remedy }) => remedy && `${name}: ${remedy}`));
}
