import type { firstRunRequests } from '../../preload/contract/first-run.ts';
import type { FirstRunState } from '../../preload/contract.ts';
import type { AuthService } from '../auth/open.ts';
import { hasServerList } from '../clients/servers.ts';
import { CausewayError } from '../platform/errors.ts';
import type { DesktopContext, HandlersOf } from './context.ts';
import type { DesktopModel } from './model.ts';
import type { SettingsStore } from './settings/settings-store.ts';

/** Where a first run begins. */
const BEGINNING: FirstRunState = {
  step: 'workspace',
  url: '',
  name: null,
  profile: null,
  isNew: false,
  servers: null,
  clients: null,
};

/** Shows the first run where the user left it, or from its beginning if Causeway was never used before. */
export async function beginFirstRun(
  model: DesktopModel,
  settings: SettingsStore,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  // Settings that are damaged were in use.
  const isUsed = settings.profile !== undefined || settings.problem !== null || (await hasServerList(env));
  const stored = settings.firstRun;
  if (stored === null || (stored === undefined && isUsed)) return;
  show(model, settings, stored ?? BEGINNING);
}

function show(model: DesktopModel, settings: SettingsStore, firstRun: FirstRunState | null): void {
  settings.remember({ firstRun });
  model.show({ firstRun });
}

export function firstRunHandlers({ causeway, model, settings }: DesktopContext): HandlersOf<typeof firstRunRequests> {
  /** The URL that is being checked, which may take as long as a silent host. */
  let check = { url: '', work: new AbortController() };
  const abandon = () => check.work.abort(new CausewayError('cancelled', 'Canceled.'));
  return {
    setFirstRun: async (firstRun) => {
      if (firstRun?.url !== check.url) abandon();
      show(model, settings, firstRun);
    },
    setUpWorkspace: async ({ url, name, corrects }) => {
      abandon();
      check = { url, work: new AbortController() };
      const { signal } = check.work;
      const auth = await causeway.auth();
      const host = await auth.findWorkspace(url, signal);
      // Nothing is written for a URL that the user has replaced or left.
      signal.throwIfAborted();
      return corrects === null ? setUp(auth, name, url, host) : correct(auth, corrects, name, url);
    },
    connectWorkspace: async ({ profile }) => {
      await model.open(profile);
      const { warehouse } = model.state;
      if (model.state.profile !== profile || warehouse.status !== 'failed') return;
      if (warehouse.failure.next === 'sign-in') await model.signIn();
    },
  };
}

/** The profile of that workspace: one that there is, or else a new one. */
async function setUp(auth: AuthService, name: string, url: string, host: string) {
  const entries = await auth.profiles();
  const known = entries.find((entry) => entry.usable && entry.profile.host === host && !entry.profile.workspaceId);
  if (known) return { profile: known.name, isNew: false };
  return { profile: (await auth.addProfile(name.trim(), url)).name, isNew: true };
}

/** Gives a profile that was added a moment ago another address and name. */
async function correct(auth: AuthService, before: string, name: string, url: string) {
  const wanted = name.trim();
  const entries = await auth.profiles();
  if (!entries.some((entry) => entry.name === before)) {
    return { profile: (await auth.addProfile(wanted, url)).name, isNew: true };
  }
  if (wanted !== before && entries.some((entry) => entry.name === wanted)) {
    throw new CausewayError('already_exists', `There is already a profile “${wanted}”.`, {
      remedy: 'Choose another name.',
    });
  }
  await auth.moveProfile(before, url);
  if (wanted !== before) await auth.renameProfile(before, wanted);
  return { profile: wanted, isNew: true };
}
