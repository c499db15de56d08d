import type { Profile } from '../../auth/auth.ts';
import type { AuthService } from '../../auth/open.ts';
import type { ClientReport } from '../../clients/survey.ts';
import type { EffectiveWarehouse } from '../../warehouses/effective.ts';
import type { Causeway, WorkspaceSession } from '../causeway.ts';
import { type CheckFinding, failedBecause, skipped } from './finding.ts';
import {
  clockFinding,
  type HostCheckSource,
  hostFinding,
  isOutOfReach,
  type Probe,
  probeHost,
  tlsFinding,
} from './host-checks.ts';
import {
  clientsFinding,
  configurationFinding,
  policyFinding,
  profileFinding,
  type ServerStatus,
  serversFinding,
} from './local-checks.ts';
import { stallsFinding } from './stalls.ts';
import { overrideFinding, signInFinding, storeFinding, warehouseFinding } from './workspace-checks.ts';

/** What the window and the command line each provide in their own way. */
export interface DiagnosisSource extends HostCheckSource {
  causeway: Pick<Causeway, 'auth' | 'open' | 'systemProxies'>;
  /** The profile that is looked at; undefined for the default one. */
  profile: string | undefined;
  settings(): Promise<CheckFinding>;
  version(): Promise<CheckFinding>;
  /** The status of each configured server. */
  servers(): Promise<readonly ServerStatus[]>;
  /** What is in the files of AI clients. */
  clients(): Promise<ClientReport[]>;
  /** Whether AI clients reach the running application. */
  hub(): Promise<CheckFinding>;
  /** Called with an internal error of Causeway, which no finding shows. */
  onFault(error: unknown): void;
}

/** What the checks of one run share, so that each thing is requested once. */
export interface CheckRun {
  source: DiagnosisSource;
  signal: AbortSignal;
  auth: AuthService;
  /** Undefined if no profile can be used. */
  profile(): Promise<Profile | undefined>;
  /** The host's answer to a request without a token. */
  probe(profile: Profile): Promise<Probe>;
  session(profile: Profile): Promise<WorkspaceSession>;
  effective(profile: Profile): Promise<EffectiveWarehouse>;
  servers(): Promise<readonly ServerStatus[]>;
}

export interface CheckDefinition {
  id: string;
  title: string;
  run(run: CheckRun): Promise<CheckFinding>;
}

/** A check that makes no sense without a profile. */
function withProfile(
  check: (run: CheckRun, profile: Profile) => Promise<CheckFinding> | CheckFinding,
): CheckDefinition['run'] {
  return async (run) => {
    const profile = await run.profile();
    return profile ? check(run, profile) : skipped('No usable profile.');
  };
}

/** A check that asks the workspace: it is skipped if the host does not answer, because waiting again tells nothing new. */
function withHost(check: (run: CheckRun, profile: Profile) => Promise<CheckFinding>): CheckDefinition['run'] {
  return withProfile(async (run, profile) =>
    isOutOfReach(await run.probe(profile))
      ? skipped('Not checked: the host could not be reached.')
      : check(run, profile),
  );
}

/**
 * The rows of both specifications' error tables, in the order in which one depends on the next: what is on this computer,
 * the connection to the workspace, the sign-in, the warehouse, and what AI clients need.
 */
export const CHECKS: readonly CheckDefinition[] = [
  { id: 'settings', title: 'Settings', run: ({ source }) => source.settings() },
  { id: 'version', title: 'Version', run: ({ source }) => source.version() },
  { id: 'policy', title: 'Organization’s policy', run: () => policyFinding() },
  { id: 'configuration', title: 'Configuration file', run: ({ auth }) => configurationFinding(auth) },
  { id: 'profile', title: 'Profile', run: ({ auth, source }) => profileFinding(auth, source.profile) },
  {
    id: 'host',
    title: 'Network',
    run: withProfile(async (run, profile) => hostFinding(profile, await run.probe(profile))),
  },
  {
    id: 'tls',
    title: 'TLS and proxy',
    run: withProfile(async (run, profile) => tlsFinding(profile, run.source.env, await run.probe(profile))),
  },
  { id: 'clock', title: 'Clock', run: withProfile(async (run, profile) => clockFinding(await run.probe(profile))) },
  { id: 'store', title: 'Credential storage', run: ({ auth }) => storeFinding(auth) },
  {
    id: 'sign-in',
    title: 'Sign-in',
    run: withHost(async (run, profile) => signInFinding(await run.session(profile), run.signal)),
  },
  {
    id: 'override',
    title: 'Warehouse overrides',
    run: withHost(async (run, profile) => overrideFinding(await run.session(profile), run.signal)),
  },
  {
    id: 'warehouse',
    title: 'Warehouse',
    run: withHost((run, profile) => warehouseFinding(() => run.effective(profile))),
  },
  { id: 'servers', title: 'Servers', run: async (run) => serversFinding(await run.servers()) },
  { id: 'clients', title: 'AI clients', run: async ({ source }) => clientsFinding(await source.clients()) },
  { id: 'hub', title: 'AI client connection', run: ({ source }) => source.hub() },
  { id: 'stalls', title: 'Responsiveness', run: ({ source }) => stallsFinding(source.env) },
];

/** Prepares what the checks share. @throws {CausewayError} if the configuration cannot be opened at all */
export async function openRun(source: DiagnosisSource, signal: AbortSignal): Promise<CheckRun> {
  const { causeway } = source;
  const auth = await causeway.auth();
  const session = once(({ name }: Profile) => causeway.open(name));
  return {
    source,
    signal,
    auth,
    profile: () => auth.profile(source.profile).catch(() => undefined),
    probe: once((profile: Profile) => probeHost(profile, source, signal)),
    session,
    effective: once(async (profile: Profile) => (await session(profile)).warehouses.effective(signal)),
    servers: once(() => source.servers()),
  };
}

/** Runs one check. Never throws: an error becomes its finding. */
export async function makeCheck(check: CheckDefinition, run: CheckRun): Promise<CheckFinding> {
  const finding = await check.run(run).catch((error: unknown) => failedBecause(error));
  if (finding.error?.code === 'internal') run.source.onFault(finding.error.cause ?? finding.error);
  return finding;
}

/** Caches the first answer for the whole run, which is for one profile. */
function once<Args extends unknown[], T>(ask: (...args: Args) => Promise<T>): (...args: Args) => Promise<T> {
  let asked: Promise<T> | undefined;
  return (...args) => {
    asked ??= ask(...args);
    return asked;
  };
}
