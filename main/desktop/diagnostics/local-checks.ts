import type { DesktopState, UpdateState } from '../../../preload/contract.ts';
import type { AuthService } from '../../auth/auth.ts';
import { sentences } from '../../platform/sentences.ts';
import { VERSION } from '../../platform/version.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import {
  type Finding,
  fail,
  failedBecause,
  pass,
  skipped,
  TO_ACCOUNTS,
  TO_SERVERS,
  TO_SETTINGS,
  warning,
} from './finding.ts';

export async function configurationFinding(auth: AuthService): Promise<Finding> {
  try {
    const entries = await auth.profiles();
    const broken = entries.filter(({ usable }) => !usable).map(({ name }) => name);
    if (entries.length === 0) return fail('No workspace is set up yet.', 'Add one.', TO_ACCOUNTS);
    const words = entries.length === 1 ? 'It names one workspace.' : `It names ${entries.length} profiles.`;
    if (broken.length === 0) return pass(words);
    return warning(`${words} These cannot be used: ${broken.join(', ')}.`, 'See why, and correct them.', TO_ACCOUNTS);
  } catch (error) {
    return failedBecause(error, TO_ACCOUNTS);
  }
}

export async function profileFinding(auth: AuthService, name: string | undefined): Promise<Finding> {
  try {
    const profile = await auth.profile(name);
    return pass(`Profile “${profile.name}” leads to ${profile.host}.`);
  } catch (error) {
    return failedBecause(error, TO_ACCOUNTS);
  }
}

export function settingsFinding({ trouble, path }: SettingsStore): Finding {
  return trouble ? fail(trouble.message, trouble.remedy, TO_SETTINGS) : pass(`They are in ${path}.`);
}

/** Whether AI clients find the running application. */
export async function hubFinding(env: NodeJS.ProcessEnv, sessions: number): Promise<Finding> {
  const [{ isHubAlive }, { hubFolder, readRendezvous }] = await Promise.all([
    import('../../hub/attach.ts'),
    import('../../hub/rendezvous.ts'),
  ]);
  const rendezvous = readRendezvous(hubFolder(env));
  const isOurs = rendezvous?.pid === process.pid;
  if (rendezvous && isOurs && (await isHubAlive(rendezvous))) {
    return pass(
      sessions === 1
        ? 'AI clients can reach it: one session is open.'
        : `AI clients can reach it: ${sessions} sessions are open.`,
    );
  }
  const words = rendezvous
    ? 'AI clients reach another Causeway than this one.'
    : 'AI clients cannot reach this Causeway: each of them connects by itself, and starts more slowly.';
  return warning(words, 'Quit Causeway and start it again.', { do: 'show-log', label: 'Show the log' });
}

export function serversFinding(servers: DesktopState['servers']): Finding {
  if (servers.length === 0) return warning('No server is set up yet.', 'Add one.', TO_SERVERS);
  const failing = servers.filter(({ state }) => state.status !== 'ready' && state.status !== 'connecting');
  const connecting = servers.filter(({ state }) => state.status === 'connecting');
  if (failing.length > 0) {
    const words = sentences(...failing.map(({ name, state }) => `${name}: ${state.words}`));
    return fail(words, failing[0]?.state.remedy ?? null, TO_SERVERS);
  }
  if (connecting.length > 0) return skipped(`Still connecting: ${connecting.map(({ name }) => name).join(', ')}.`);
  return pass(servers.length === 1 ? 'One server is ready.' : `All ${servers.length} servers are ready.`);
}

export function versionFinding(update: UpdateState): Finding {
  if (update.status === 'available' || update.status === 'downloading' || update.status === 'ready') {
    return warning(`This is ${VERSION}; version ${update.version} is there.`, 'Update Causeway.', TO_SETTINGS);
  }
  const known = update.status === 'idle' && update.checkedAt !== null;
  return pass(known ? `This is ${VERSION}, the newest version.` : `This is ${VERSION}.`);
}
