import type { AuthService } from '../../auth/open.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { EffectiveWarehouse } from '../../warehouses/effective.ts';
import { checkToken } from '../../workspace/check-token.ts';
import type { WorkspaceSession } from '../causeway.ts';
import { type CheckFinding, fail, failedBecause, pass, warning } from './finding.ts';

/** Whether the profile's token is accepted, and whose it is. */
export async function signInFinding({ client }: WorkspaceSession, signal: AbortSignal): Promise<CheckFinding> {
  try {
    const found = await checkToken(client.users, signal);
    if (found.state === 'refused' || found.state === 'forbidden') return failedBecause(found.error, 'accounts');
    if (found.state === 'not-asked') return notAsked(found.error);
    if (found.userName !== undefined) return pass(`Signed in as ${found.userName}.`);
    return pass('Signed in. The workspace does not name the user.');
  } catch (error) {
    return failedBecause(error, 'accounts');
  }
}

/** The sign-in may still be valid: something on the way to the workspace failed. */
function notAsked(error: CausewayError): CheckFinding {
  const failure = failedBecause(error);
  return { ...failure, status: 'unknown', words: `The sign-in could not be checked. ${failure.words}` };
}

export async function storeFinding(auth: AuthService): Promise<CheckFinding> {
  try {
    const kind = await auth.checkStore();
    const place = kind === 'keychain' ? 'the system keychain' : kind === 'memory' ? 'memory' : 'an encrypted file';
    if (kind !== 'memory') return pass(`Credentials are stored in ${place}.`);
    return warning('Credentials are stored in memory and are lost when Causeway quits.', {
      advice: 'Remove CAUSEWAY_TOKEN_STORE from the environment.',
    });
  } catch (error) {
    return failedBecause(error, 'settings');
  }
}

/** Whether the workspace has overrides, and lets this user read their own. */
export async function overrideFinding({ warehouses }: WorkspaceSession, signal: AbortSignal): Promise<CheckFinding> {
  try {
    const record = await warehouses.operations.find('me', signal);
    if (record === null) return pass('The workspace supports overrides. You have none.');
    return pass('The workspace supports overrides. You have one.');
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code !== 'feature_unavailable') return failedBecause(error);
    return warning('This workspace does not support warehouse overrides.', {
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
      const words = 'Your warehouse could not be determined.';
      return warning(words, { action: { do: 'choose-warehouse' }, screen: 'warehouse' });
    }
    if (warehouse.canUse !== 'unknown')
      return pass(`Your queries run on ${warehouse.name}. You have permission to use it.`);
    return {
      status: 'unknown',
      words: `Your queries run on ${warehouse.name}. Your permission could not be checked.`,
      advice: 'Run a query to find out. If it is refused, ask for CAN USE on the warehouse.',
      screen: 'warehouse',
    };
  } catch (error) {
    return failedBecause(error, 'warehouse');
  }
}
