import { CausewayError } from '../../platform/errors.ts';
import type { AuthMethod, Profile } from '../auth.ts';

const REMOVE = 'Use another profile, or remove its credentials from the configuration file.';

/** What a profile has instead of a sign-in, and how that is changed. */
const INSTEAD: Partial<Record<AuthMethod, [has: string, remedy: string]>> = {
  pat: ['uses a personal access token', REMOVE],
  'oauth-m2m': ['uses a client id and secret', REMOVE],
  'azure-cli': ['signs in through the Azure CLI', 'Use `az login` and `az logout` instead.'],
  'azure-client-secret': ['uses the client secret of an Azure service principal', REMOVE],
  'github-oidc': ['signs in as its GitHub Actions job', 'Use another profile.'],
  'env-oidc': ['uses an ID token from the environment', 'Use another profile.'],
  'file-oidc': ['uses an ID token from a file', 'Use another profile.'],
};

/** The error for a profile that cannot be signed in to or out of. */
export function holdsCredentials({ name, method }: Profile): CausewayError {
  const [has, remedy] = INSTEAD[method] ?? ['has its own credentials', REMOVE];
  return new CausewayError('profile_unusable', `Profile "${name}" ${has}. It has no sign-in to start or end.`, {
    remedy,
  });
}
