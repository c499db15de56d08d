import type { AuthService, Profile } from '../../auth/auth.ts';
import type { WorkspaceSession } from '../../causeway.ts';
import type { DesktopContext } from '../context.ts';
import { clientsFinding, surveyClients } from './clients-check.ts';
import { type Finding, skipped } from './finding.ts';
import { clockFinding, hostFinding, type Probe, probeHost, tlsFinding } from './host-checks.ts';
import {
  configurationFinding,
  hubFinding,
  profileFinding,
  serversFinding,
  settingsFinding,
  versionFinding,
} from './local-checks.ts';
import { overrideFinding, signInFinding, storeFinding, warehouseFinding } from './workspace-checks.ts';

/** What the checks of one run share: what is asked once, however many of them need it. */
export interface CheckRun {
  context: Pick<DesktopContext, 'causeway' | 'env' | 'model' | 'settings'>;
  signal: AbortSignal;
  auth: AuthService;
  /** Undefined where no profile can be used. */
  profile(): Promise<Profile | undefined>;
  /** The host's answer to somebody without a token. */
  probe(profile: Profile): Promise<Probe>;
  session(profile: Profile): Promise<WorkspaceSession>;
}

export interface Check {
  id: string;
  title: string;
  run(run: CheckRun): Promise<Finding>;
}

/** A check that makes no sense without a profile. */
function withProfile(check: (run: CheckRun, profile: Profile) => Promise<Finding> | Finding): Check['run'] {
  return async (run) => {
    const profile = await run.profile();
    return profile ? check(run, profile) : skipped('There is no profile that can be used.');
  };
}

/**
 * The rows of both specifications' error tables, in the order in which one depends on the next: what is on this computer,
 * the way to the workspace, the sign-in, the warehouse, and what AI clients need.
 */
export const CHECKS: readonly Check[] = [
  { id: 'settings', title: 'Settings', run: async ({ context }) => settingsFinding(context.settings) },
  { id: 'version', title: 'Version', run: async ({ context }) => versionFinding(context.model.state.update) },
  { id: 'configuration', title: 'Configuration file', run: ({ auth }) => configurationFinding(auth) },
  {
    id: 'profile',
    title: 'Profile',
    run: ({ auth, context }) => profileFinding(auth, context.model.state.profile ?? undefined),
  },
  {
    id: 'host',
    title: 'Way to the workspace',
    run: withProfile(async (run, profile) => hostFinding(profile, await run.probe(profile))),
  },
  {
    id: 'tls',
    title: 'Encryption and proxy',
    run: withProfile(async (run, profile) => tlsFinding(profile, run.context.env, await run.probe(profile))),
  },
  { id: 'clock', title: 'Clock', run: withProfile(async (run, profile) => clockFinding(await run.probe(profile))) },
  { id: 'store', title: 'Place for sign-ins', run: ({ auth }) => storeFinding(auth) },
  {
    id: 'sign-in',
    title: 'Sign-in',
    run: withProfile(async (run, profile) => signInFinding(await run.session(profile), run.signal)),
  },
  {
    id: 'override',
    title: 'Default warehouses for each user',
    run: withProfile(async (run, profile) => overrideFinding(await run.session(profile), run.signal)),
  },
  {
    id: 'warehouse',
    title: 'Your warehouse',
    run: withProfile(async (run, profile) => warehouseFinding(await run.session(profile), run.signal)),
  },
  { id: 'servers', title: 'Servers', run: async ({ context }) => serversFinding(context.model.state.servers) },
  {
    id: 'clients',
    title: 'AI clients',
    run: async ({ context }) => clientsFinding(await surveyClients(context.env)),
  },
  {
    id: 'hub',
    title: 'Connection for AI clients',
    run: ({ context }) => hubFinding(context.env, context.model.state.proxies.length),
  },
];

/** Gets ready what the checks share. */
export async function openRun(context: CheckRun['context'], signal: AbortSignal): Promise<CheckRun> {
  const auth = await context.causeway.auth();
  let probing: Promise<Probe> | undefined;
  let opening: Promise<WorkspaceSession> | undefined;
  return {
    context,
    signal,
    auth,
    profile: () => auth.profile(context.model.state.profile ?? undefined).catch(() => undefined),
    probe: (profile) => {
      probing ??= probeHost(profile, context.env, signal);
      return probing;
    },
    session: ({ name }) => {
      opening ??= context.causeway.open(name);
      return opening;
    },
  };
}
