import type { AuthService } from '../../auth/auth.ts';
import type { WorkspaceSession } from '../../causeway.ts';
import { CausewayError } from '../../platform/errors.ts';
import { standing } from '../../workspace/standing.ts';
import { failureOf } from '../failure.ts';
import { type Finding, fail, failedBecause, pass, TO_ACCOUNTS, TO_SETTINGS, TO_WAREHOUSE, warning } from './finding.ts';

/** Whether the profile's token is accepted, and whose it is. */
export async function signInFinding({ client, profile }: WorkspaceSession, signal: AbortSignal): Promise<Finding> {
  try {
    const found = await standing(client.users, signal);
    if (found.state === 'refused') throw found.error;
    if (found.state === 'forbidden') return failedBecause(found.error, TO_ACCOUNTS);
    if (found.state === 'not-asked') return notAsked(found.error);
    if (found.userName !== undefined) return pass(`The workspace knows you as ${found.userName}.`);
    return pass('The workspace accepts the sign-in, and does not say whose it is.');
  } catch (error) {
    const { problem, next } = failureOf(error, profile.method, []);
    const signIn = { do: 'sign-in', profile: profile.name, label: 'Sign in' } as const;
    return { ...failedBecause(error, next === 'sign-in' ? signIn : TO_ACCOUNTS), remedy: problem.remedy };
  }
}

/** The sign-in may be as good as ever: what is wrong stands between. */
function notAsked(error: CausewayError): Finding {
  const { words, remedy } = failedBecause(error);
  return { status: 'unknown', words: `Whether the sign-in works could not be asked. ${words}`, remedy, nextStep: null };
}

export async function storeFinding(auth: AuthService): Promise<Finding> {
  try {
    const kind = await auth.checkStore();
    const place =
      kind === 'keychain' ? 'the keychain of this computer' : kind === 'memory' ? 'memory' : 'an encrypted file';
    if (kind !== 'memory') return pass(`Sign-ins are kept in ${place}, which can be written and read.`);
    return warning('Sign-ins are kept in memory, so they end with Causeway.', 'Remove CAUSEWAY_TOKEN_STORE.');
  } catch (error) {
    return failedBecause(error, TO_SETTINGS);
  }
}

/** Whether the workspace has overrides, and lets this user read their own. */
export async function overrideFinding({ warehouses }: WorkspaceSession, signal: AbortSignal): Promise<Finding> {
  try {
    const record = await warehouses.operations.find('me', signal);
    if (record === null) return pass('The workspace has default warehouses for each user. You have not chosen one.');
    return pass('The workspace has default warehouses for each user, and yours can be read.');
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code !== 'feature_unavailable') return failedBecause(error);
    return warning(
      'This workspace does not have default warehouses for each user.',
      'Ask a workspace admin to change the workspace default instead.',
    );
  }
}

/** Whether queries will find a warehouse that runs them. */
export async function warehouseFinding({ warehouses }: WorkspaceSession, signal: AbortSignal): Promise<Finding> {
  try {
    const { warehouse, problems } = await warehouses.effective(signal);
    const [problem] = problems.filter(({ code }) => code !== 'override-api-missing');
    if (problem?.code === 'last-selected-unseen') return warning(problem.message, problem.remedy, TO_WAREHOUSE);
    if (problem) return fail(problem.message, problem.remedy, TO_WAREHOUSE);
    if (warehouse === null) {
      return warning('Which warehouse your queries run on could not be found out.', 'Choose one.', TO_WAREHOUSE);
    }
    return pass(`Your queries run on ${warehouse.name}, and you may use it.`);
  } catch (error) {
    return failedBecause(error, TO_WAREHOUSE);
  }
}
