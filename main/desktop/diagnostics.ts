import { Readable } from 'node:stream';
import type { diagnosticsRequests } from '../../preload/contract/diagnostics.ts';
import type {
  DesktopState,
  Diagnosis as DiagnosisState,
  DiagnosticCheck,
  DiagnosticNextStep,
  UpdateState,
} from '../../preload/contract.ts';
import { CHECKS, type CheckDefinition, type DiagnosisSource, makeCheck, openRun } from '../app/diagnosis/checks.ts';
import { type CheckFinding, fail, pass, type Screen, warning } from '../app/diagnosis/finding.ts';
import type { ServerStatus } from '../app/diagnosis/local-checks.ts';
import {
  logInReport,
  type ReportedState,
  reportOf,
  systemInReport,
  warehouseInReport,
} from '../app/diagnosis/report.ts';
import type { Profile } from '../auth/auth.ts';
import { openServers } from '../clients/servers.ts';
import { CausewayError } from '../platform/errors.ts';
import { writeOutsidePieces } from '../platform/outside-file.ts';
import { VERSION } from '../platform/version.ts';
import { remedyFor } from '../words/failure.ts';
import type { DesktopContext, HandlersOf } from './context.ts';
import { failureFor } from './failure.ts';
import { openDesktopClients } from './open-clients.ts';
import type { SettingsStore } from './settings/settings-store.ts';

const NOT_RUN = { status: 'waiting', words: '', remedy: null, nextStep: null } as const;
const CANCELLED = { status: 'unknown', words: 'Canceled.', remedy: null, nextStep: null } as const;

/** The checks, run when the user asks for it: one run at a time, one check after the other. */
class DiagnosisRun {
  readonly #source: () => DiagnosisSource;
  readonly #show: (state: DiagnosisState) => void;
  #state: DiagnosisState = { running: false, startedAt: null, checks: CHECKS.map(unrun) };
  #work: AbortController | undefined;

  constructor(source: () => DiagnosisSource, show: (state: DiagnosisState) => void) {
    this.#source = source;
    this.#show = show;
  }

  get state(): DiagnosisState {
    return this.#state;
  }

  /** Resolves when all checks have ended. @throws {CausewayError} `conflict` if they run already */
  async run(now = Date.now()): Promise<void> {
    if (this.#work) throw new CausewayError('conflict', 'The checks are already running.');
    const work = new AbortController();
    this.#work = work;
    this.#set({ running: true, startedAt: now, checks: CHECKS.map(unrun) });
    try {
      const run = await openRun(this.#source(), work.signal);
      for (const check of CHECKS) {
        if (work.signal.aborted) break;
        this.#change(check.id, { status: 'running' });
        const finding = await makeCheck(check, run);
        // A check that was cut short has no result.
        this.#change(check.id, work.signal.aborted ? CANCELLED : shownFinding(finding, await run.profile()));
      }
    } finally {
      this.#work = undefined;
      const open = new Set<DiagnosticCheck['status']>(['waiting', 'running']);
      const checks = this.#state.checks.map((check) => (open.has(check.status) ? { ...check, ...CANCELLED } : check));
      this.#set({ ...this.#state, running: false, checks });
    }
  }

  cancel(): void {
    this.#work?.abort(new CausewayError('cancelled', 'Canceled.'));
  }

  #change(id: string, change: Partial<DiagnosticCheck>): void {
    const checks = this.#state.checks.map((check) => (check.id === id ? { ...check, ...change } : check));
    this.#set({ ...this.#state, checks });
  }

  #set(state: DiagnosisState): void {
    this.#state = state;
    this.#show(state);
  }
}

function unrun({ id, title }: CheckDefinition): DiagnosticCheck {
  return { id, title, ...NOT_RUN };
}

const BUTTONS: Record<Screen, DiagnosticNextStep> = {
  accounts: { do: 'open-screen', screen: 'accounts', label: 'Open Accounts' },
  warehouse: { do: 'open-screen', screen: 'warehouse', label: 'Open Warehouse' },
  servers: { do: 'open-screen', screen: 'servers', label: 'Open Servers' },
  clients: { do: 'open-screen', screen: 'clients', label: 'Open AI clients' },
  settings: { do: 'open-screen', screen: 'settings', label: 'Open Settings' },
  log: { do: 'show-log', label: 'Show log' },
};

/** A finding as the window shows it, with the next step as a button. */
function shownFinding(
  { status, words, advice, action, screen, error }: CheckFinding,
  profile: Profile | undefined,
): Pick<DiagnosticCheck, 'status' | 'words' | 'remedy' | 'nextStep'> {
  const remedy = remedyFor('window', { remedy: advice, action }) ?? null;
  const nextStep = screen ? BUTTONS[screen] : null;
  if (!error || screen !== 'accounts') return { status, words, remedy, nextStep };
  const failure = failureFor(error, profile?.method, []);
  const signsIn = failure.next === 'sign-in' && profile !== undefined;
  return {
    status,
    words,
    remedy: failure.problem.remedy,
    nextStep: signsIn ? { do: 'sign-in', profile: profile.name, label: 'Sign in' } : nextStep,
  };
}

/** The state of the running application that the checks use. */
function diagnosisSource({
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
    clients: async () => openDesktopClients(env).survey((await openServers(env)).initial.servers),
    hub: () => hubFinding(env, model.state.proxies.length),
    // The row already shows that the check runs.
    onSilence: () => {},
    onFault: (error) => console.error('A check failed:', error),
  };
}

function settingsFinding({ problem, path }: SettingsStore): CheckFinding {
  if (!problem) return pass(`Stored in ${path}.`);
  return fail(problem.message, { advice: problem.remedy ?? undefined, screen: 'settings' });
}

export function versionFinding(update: UpdateState): CheckFinding {
  if (update.status === 'available' || update.status === 'downloading' || update.status === 'ready') {
    const words = `Version ${VERSION}. Version ${update.version} is available.`;
    return warning(words, { advice: 'Install the update.', screen: 'settings' });
  }
  const known = update.status === 'idle' && update.checkedAt !== null;
  return pass(known ? `Version ${VERSION} is up to date.` : `Version ${VERSION}.`);
}

/** Whether AI clients reach this application and no other one. */
async function hubFinding(env: NodeJS.ProcessEnv, sessions: number): Promise<CheckFinding> {
  const [{ isHubAlive }, { hubFolder, readRendezvous }] = await Promise.all([
    import('../hub/attach.ts'),
    import('../hub/rendezvous.ts'),
  ]);
  const rendezvous = readRendezvous(hubFolder(env));
  const isOurs = rendezvous?.pid === process.pid;
  if (rendezvous && isOurs && (await isHubAlive(rendezvous))) {
    return pass(
      sessions === 1
        ? 'AI clients can connect. 1 session is open.'
        : `AI clients can connect. ${sessions} sessions are open.`,
    );
  }
  const words = rendezvous
    ? 'AI clients connect to another running Causeway.'
    : 'AI clients cannot reach this Causeway. They connect on their own and start more slowly.';
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

export function diagnosticsHandlers(context: DesktopContext): HandlersOf<typeof diagnosticsRequests> {
  const { causeway, env, model, settings, shell, emit } = context;
  const diagnosis = new DiagnosisRun(
    () => diagnosisSource(context),
    (state) => emit('diagnosisChanged', state),
  );

  const report = async (): Promise<string> => {
    const profiles = await causeway.auth().then(
      (auth) => auth.profiles(),
      () => [],
    );
    const { startedAt, checks } = diagnosis.state;
    return reportOf({
      version: VERSION,
      versions: shell.versions,
      system: systemInReport(),
      env,
      settings: settings.current,
      settingsFile: settings.path,
      profiles,
      state: reportedState(model.state),
      checks: startedAt === null ? null : checks,
      log: logInReport(env),
      now: new Date(),
    });
  };

  return {
    getDiagnosis: async () => diagnosis.state,
    runDiagnosis: async () => void (await diagnosis.run()),
    cancelDiagnosis: async () => void diagnosis.cancel(),
    previewDiagnostics: async () => ({ text: await report() }),
    copyDiagnostics: async () => void shell.copy(await report()),
    saveDiagnostics: async () => {
      const kinds = [{ name: 'Text', extensions: ['txt'] }];
      const file = await shell.chooseFileToSave({ title: 'Save diagnostics', name: 'causeway-diagnostics.txt', kinds });
      if (file === null) return { file };
      const text = await report();
      await writeOutsidePieces(file, Readable.from([text]), 'text');
      return { file };
    },
  };
}
