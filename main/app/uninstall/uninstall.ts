import type { AuthService } from '../../auth/open.ts';
import type { ClientsService } from '../../clients/service.ts';
import { checkUninstall } from '../../permissions/policy/policy.ts';
import { currentPolicy, systemPolicy } from '../../permissions/policy/system-policy.ts';
import { asCausewayError, CausewayError } from '../../platform/errors.ts';
import { configFilePath } from '../../platform/paths.ts';
import { markRemoval } from '../../platform/removal.ts';
import { runningApplication } from './application.ts';
import { completionScripts } from './completion.ts';
import { removeEntries } from './entries.ts';
import { ownFolders } from './files.ts';
import { loginItems } from './login-item.ts';
import { keychainItems, signIns } from './sign-ins.ts';
import { type Remnant, type RemnantKind, type Removal, removeAll } from './step.ts';

export interface UninstallOptions {
  env: NodeJS.ProcessEnv;
  auth: AuthService;
  clients: ClientsService;
  /** Only say what would go. */
  dryRun: boolean;
  /** Also in the files of AI clients that run now, and may write their old content again. */
  evenRunning?: boolean | undefined;
  /** What stays for now: the application cannot end itself before it has removed the rest. */
  except?: readonly RemnantKind[] | undefined;
}

/** What uninstalling has come to, or would. */
export interface UninstallReport {
  removals: Removal[];
  /** What is the user's own and stays: the file of their Databricks profiles. */
  kept: string;
}

/**
 * Removes everything that Causeway has left on this computer for this user, or lists it. The Databricks profiles stay, and so does
 * what is at the workspace: overrides, and sign-ins to what is behind services. What cannot be removed does not stop the rest.
 * @throws {CausewayError} `hub_running` if the application cannot be ended, `managed` if an AI client has to keep its entries, unless
 * an administrator removes Causeway; then nothing was removed
 */
export async function uninstall(options: UninstallOptions): Promise<UninstallReport> {
  const { env, auth, clients, dryRun, evenRunning = false, except = [] } = options;
  const isWanted = (kind: RemnantKind) => !except.includes(kind);
  if (!systemPolicy().isBeingRemoved) checkUninstall(await currentPolicy());
  const removals: Removal[] = [];
  const remove = async (kind: RemnantKind, find: () => Remnant[] | Promise<Remnant[]>) => {
    if (!isWanted(kind)) return;
    try {
      removals.push(...(await removeAll(await find(), dryRun)));
    } catch (error) {
      removals.push({ kind, what: LOOKED_FOR[kind], result: 'failed', error: asCausewayError(error) });
    }
  };
  await remove('application', () => runningApplication(env));
  const stillRuns = removals.find(({ result }) => result === 'failed')?.error;
  if (stillRuns) throw stillRuns;
  // Running proxies would write their state anew.
  if (!dryRun && isWanted('files')) markRemoval(env);
  if (isWanted('entries')) removals.push(...(await removeEntries(clients, { dryRun, evenRunning })));
  await remove('sign-in', () => signIns(auth));
  await remove('keychain', () => keychainItems(auth, env));
  await remove('login-item', () => loginItems(env));
  await remove('completion', () => completionScripts(env));
  // The record of what is ours is in there: while entries are left over, it is still needed.
  const isEntryLeft = removals.some(({ kind, result }) => kind === 'entries' && result === 'failed');
  await remove('files', () => {
    if (isEntryLeft && !dryRun) throw stillNeeded();
    return ownFolders(env);
  });
  return { removals, kept: configFilePath(env) };
}

function stillNeeded(): CausewayError {
  return new CausewayError('conflict', 'AI clients still have entries of Causeway, and their record is stored here.', {
    remedy: 'See the reasons above, then run `causeway uninstall --yes` again.',
  });
}

/** Named if it cannot even be found out what there is. */
const LOOKED_FOR: Record<RemnantKind, string> = {
  application: 'the running application',
  entries: "the AI clients' files",
  'sign-in': 'the sign-ins',
  keychain: 'the keychain items',
  'login-item': 'the login item',
  completion: 'shell completion',
  files: "Causeway's own files",
};
