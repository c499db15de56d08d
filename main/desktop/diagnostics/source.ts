import type { DesktopState, UpdateState } from '../../../preload/contract.ts';
import { openServers } from '../../clients/servers.ts';
import type { DiagnosisSource } from '../../diagnosis/checks.ts';
import { type CheckFinding, fail, pass, warning } from '../../diagnosis/finding.ts';
import type { ServerStatus } from '../../diagnosis/local-checks.ts';
import { type ReportedState, warehouseInReport } from '../../diagnosis/report.ts';
import { VERSION } from '../../platform/version.ts';
import { openDesktopClients } from '../clients/service.ts';
import type { DesktopContext } from '../context.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** The state of the running application that the checks use. */
export function diagnosisSource({
  causeway,
  env,
  model,
  settings,
}: Pick<DesktopContext, 'causeway' | 'env' | 'model' | 'settings'>): DiagnosisSource {
  return {
    causeway,
    env,
    profile: model.state.profile ?? undefined,
    settings: async () => settingsFinding(settings),
    version: async () => versionFinding(model.state.update),
    servers: async () => serverStatuses(model.state),
    clients: async () => openDesktopClients(env).survey((await openServers(env)).read().servers),
    hub: () => hubFinding(env, model.state.proxies.length),
    // The row already shows that the check runs.
    onSilence: () => {},
    onFault: (error) => console.error('A check failed:', error),
  };
}

function settingsFinding({ trouble, path }: SettingsStore): CheckFinding {
  if (!trouble) return pass(`They are in ${path}.`);
  return fail(trouble.message, { advice: trouble.remedy ?? undefined, screen: 'settings' });
}

export function versionFinding(update: UpdateState): CheckFinding {
  if (update.status === 'available' || update.status === 'downloading' || update.status === 'ready') {
    const words = `This is ${VERSION}; version ${update.version} is there.`;
    return warning(words, { advice: 'Update Causeway.', screen: 'settings' });
  }
  const known = update.status === 'idle' && update.checkedAt !== null;
  return pass(known ? `This is ${VERSION}, the newest version.` : `This is ${VERSION}.`);
}

/** Whether AI clients reach this application and no other one. */
async function hubFinding(env: NodeJS.ProcessEnv, sessions: number): Promise<CheckFinding> {
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
  return warning(words, { advice: 'Quit Causeway and start it again.', screen: 'log' });
}

/** The part of the application's state that the report contains. */
export function reportedState(state: DesktopState): ReportedState {
  const { profile, warehouse, proxies, update } = state;
  return {
    profile,
    warehouse: warehouseLine(warehouse),
    servers: serverStatuses(state),
    sessions: proxies.length,
    updates: update.status,
  };
}

function serverStatuses({ servers }: DesktopState): ServerStatus[] {
  return servers.map(({ name, kind, path, state: { status, words, remedy } }) => ({
    name,
    kind,
    path,
    status,
    words,
    remedy,
  }));
}

function warehouseLine(warehouse: DesktopState['warehouse']): string {
  if (warehouse.status === 'failed') return `failed (${warehouse.failure.problem.code})`;
  return warehouse.status === 'known' ? warehouseInReport(warehouse.effective) : warehouse.status;
}
