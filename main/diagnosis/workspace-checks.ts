import type { AuthService } from '../auth/auth.ts';
import type { WorkspaceSession } from '../causeway.ts';
import { CausewayError } from '../platform/errors.ts';
import type { EffectiveWarehouse } from '../warehouses/effective.ts';
import { checkToken } from '../workspace/check-token.ts';
import { type CheckFinding, fail, failedBecause, pass, warning } from './finding.ts';

/** Whether the profile's token is accepted, and whose it is. */
export async function signInFinding({ client }: WorkspaceSession, signal: AbortSignal): Promise<CheckFinding> {
  try {
    const found = await checkToken(client.users, signal);
    if (found.state === 'refused' || found.state === 'forbidden') return failedBecause(found.error, 'accounts');
    if (found.state === 'not-asked') return notAsked(found.error);
    if (found.userName !== undefined) return pass(`The workspace knows you as ${found.userName}.`);
    return pass('The workspace accepts the sign-in, and does not say whose it is.');
  } catch (error) {
    return failedBecause(error, 'accounts');
  }
}

/** The sign-in may be as good as ever: what is wrong stands between. */
function notAsked(error: CausewayError): CheckFinding {
  const failure = failedBecause(error);
  return { ...failure, status: 'unknown', words: `Whether the sign-in works could not be asked. ${failure.words}` };
}

export async function storeFinding(auth: AuthService): Promise<CheckFinding> {
  try {
    const kind = await auth.checkStore();
    const place =
      kind === 'keychain' ? 'the keychain of this computer' : kind === 'memory' ? 'memory' : 'an encrypted file';
    if (kind !== 'memory') return pass(`Sign-ins are kept in ${place}, which can be written and read.`);
    return warning('Sign-ins are kept in memory, so they end with Causeway.', {
      advice: 'Remove the variable CAUSEWAY_TOKEN_STORE from the environment.',
    });
  } catch (error) {
    return failedBecause(error, 'settings');
  }
}

/** Whether the workspace has overrides, and lets this user read their own. */
export async function overrideFinding({ warehouses }: WorkspaceSession, signal: AbortSignal): Promise<CheckFinding> {
  try {
    const record = await warehouses.operations.find('me', signal);
    if (record === null) return pass('The workspace has default warehouses for each user. You have not chosen one.');
    return pass('The workspace has default warehouses for each user, and yours can be read.');
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code !== 'feature_unavailable') return failedBecause(error);
    return warning('This workspace does not have default warehouses for each user.', {
      advice: 'Ask a workspace admin to change the workspace default instead.',
    });
  }
}

/** Whether queries will find a warehouse that runs them. @param effective reads it */
export async function warehouseFinding(effective: () => Promise<EffectiveWarehouse>): Promise<CheckFinding> {
  try {
    const { warehouse, problems } = await effective();
    const [problem] = problems.filter(({ code }) => code !== 'override-api-missing');
    if (problem) {
      const { code, message, remedy: advice } = problem;
      const found = code === 'last-selected-unseen' ? warning : fail;
      const action = code === 'no-warehouse' ? undefined : ({ do: 'choose-or-clear-warehouse' } as const);
      return found(message, { advice, action, screen: 'warehouse' });
    }
    if (warehouse === null) {
      const words = 'Which warehouse your queries run on could not be found out.';
      return warning(words, { action: { do: 'choose-warehouse' }, screen: 'warehouse' });
    }
    if (warehouse.canUse !== 'unknown') return pass(`Your queries run on ${warehouse.name}, and you may use it.`);
    return {
      status: 'unknown',
      words: `Your queries run on ${warehouse.name}. Whether you may use it could not be found out.`,
      advice: 'Run a query to find out: one that is refused names the permission CAN USE.',
      screen: 'warehouse',
    };
  } catch (error) {
    return failedBecause(error, 'warehouse');
  }
}
