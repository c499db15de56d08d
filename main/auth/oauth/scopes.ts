import { serverAt } from '../../../preload/contract/server-kinds.ts';
import { askWhom, listed, type Policy } from '../../permissions/policy/policy.ts';
import { systemPolicy } from '../../permissions/policy/system-policy.ts';
import type { NextAction } from '../../platform/next-action.ts';
import type { Profile } from '../auth.ts';

/** The scopes of an OAuth application that names none: everything that the user may do. */
const DEFAULT_SCOPES: readonly string[] = ['all-apis', 'offline_access'];

/** The scope that a server's path needs; undefined for a path of no known kind. */
export function scopeForPath(path: string): string | undefined {
  return serverAt(path).scope;
}

/** The scopes that servers need and a sign-in lacks, so that the window can say so before a server answers 403. */
export function missingScopes(granted: readonly string[], paths: readonly string[]): string[] {
  if (granted.includes('all-apis')) return [];
  const needed = paths.map(scopeForPath).filter((scope) => scope !== undefined);
  return [...new Set(needed)].filter((scope) => !granted.includes(scope));
}

/** The scopes that a sign-in asks for: the application's own, others that are needed, and `offline_access`. */
export function scopesToAsk(configured: readonly string[] = DEFAULT_SCOPES, needed: readonly string[] = []): string[] {
  const more = configured.includes('all-apis') ? [] : needed;
  return [...new Set([...configured, ...more, 'offline_access'])];
}

/**
 * How a refusal with status 403 says that the token is good and lacks scopes (RFC 6750 §3.1). Secret scopes, which are
 * something else, are not spoken of so.
 */
export const SAYS_SCOPES_ARE_MISSING = /does not have (the )?required scopes?\b|\binsufficient[_ ]scopes?\b/i;

/** The remedy for a missing scope. */
export type ScopeRemedy = { remedy: string } | { action: NextAction<'grant-scope'> };

/**
 * What to do about a scope that a profile's token lacks, which depends on who decides what the token may do: a sign-in
 * asks for the scopes of the configured servers; a profile that holds its credentials cannot be signed in to.
 */
export function missingScopeRemedy(
  { name, method }: Pick<Profile, 'name' | 'method'>,
  policy = systemPolicy().current,
): ScopeRemedy {
  switch (method) {
    case 'oauth-user':
    case 'databricks-cli': {
      const scopes = lockedScopes(policy);
      if (scopes) return { remedy: managedScopes(policy, scopes) };
      return { action: { do: 'grant-scope', profile: name } };
    }
    case 'pat':
      return {
        remedy: `Create a personal access token with the scope (in the workspace: Settings, Developer, Access tokens) and put it into the profile "${name}".`,
      };
    case 'azure-cli':
    case 'azure-client-secret':
      return {
        remedy: `The Entra token of the profile "${name}" cannot be given scopes. Ask a workspace admin whether its user or service principal may do this, or use another kind of profile.`,
      };
    case 'oauth-m2m':
    case 'github-oidc':
    case 'env-oidc':
    case 'file-oidc':
      return {
        remedy: `Add the scope to the line \`scopes\` of the profile "${name}" in the configuration file, or remove that line to request all scopes. The account administrator must allow it for the service principal.`,
      };
  }
}

/** The only scopes that a sign-in may ask for, if the organization has decided. */
function lockedScopes(policy: Policy): readonly string[] | undefined {
  const { locked = false, value } = policy.keys.oauthApplication ?? {};
  return !locked || value?.scopes?.includes('all-apis') ? undefined : value?.scopes;
}

function managedScopes({ source, organization, contact }: Policy, scopes: readonly string[]): string {
  const whose = organization === null ? 'Your organization' : `Your organization (${organization})`;
  return `${whose} allows sign-ins to request only these scopes: ${listed(scopes)}. ${askWhom(contact)} The policy is ${source}, key "oauthApplication".`;
}
