import { hasSignIn, maySignIn, signInKey } from '../../auth/auth.ts';
import { APPLICATIONS_SERVICE, SERVICE } from '../../auth/oauth/own-sign-in.ts';
import type { AuthService } from '../../auth/open.ts';
import { loadKeychain } from '../../auth/secrets/keychain-or-memory.ts';
import { chosenKind } from '../../auth/secrets/open-store.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { Remnant } from './step.ts';

/** What is behind the sign-ins: each is revoked at its workspace, and the secrets of OAuth applications are forgotten. */
export async function signIns(auth: AuthService): Promise<Remnant[]> {
  const found: Remnant[] = [];
  const profiles = (await auth.profiles()).flatMap((entry) => (entry.usable ? [entry.profile] : []));
  for (const profile of profiles.filter(maySignIn)) {
    if (!hasSignIn(await auth.signInState(profile))) continue;
    found.push({
      kind: 'sign-in',
      what: `${profile.name} at ${profile.host}`,
      note: 'Its tokens are revoked.',
      async remove() {
        const { revoked } = await auth.signOut(profile);
        return revoked
          ? 'Its tokens are revoked.'
          : 'The workspace did not confirm the revocation of its tokens. They will expire.';
      },
    });
  }
  for (const host of new Set(profiles.map((profile) => profile.host))) {
    const application = await auth.oauthApplication(host);
    if (!application) continue;
    found.push({
      kind: 'sign-in',
      what: `the OAuth application ${application.clientId} for ${host}`,
      remove: () => auth.setOAuthApplication(host, undefined),
    });
  }
  return found;
}

/**
 * What else Causeway has in the keychain, such as sign-ins of profiles that are gone. A keychain belongs to the user, not to a
 * folder: where `CAUSEWAY_HOME` names another one, nothing is looked for.
 * @throws {CausewayError} `keychain_locked`
 */
export async function keychainItems(auth: AuthService, env: NodeJS.ProcessEnv): Promise<Remnant[]> {
  const kind = env.CAUSEWAY_TOKEN_STORE || (await chosenKind(env));
  if (env.CAUSEWAY_HOME || kind !== 'keychain') return [];
  const signedIn = await namesOfSignIns(auth);
  try {
    const { keychainNames, openKeychain } = await loadKeychain(env);
    const items: Remnant[] = [];
    for (const service of [SERVICE, APPLICATIONS_SERVICE]) {
      const names = (await keychainNames(service)).filter((name) => service !== SERVICE || !signedIn.has(name));
      const remnants = names.map(
        (name): Remnant => ({
          kind: 'keychain',
          what: `${service}: ${name}`,
          remove: () => openKeychain(service).delete(name),
        }),
      );
      items.push(...remnants);
    }
    return items;
  } catch (error) {
    // If there is no keychain, nothing is in it.
    if (error instanceof CausewayError && error.code === 'keychain_unavailable') return [];
    throw error;
  }
}

/** What signing out removes from the keychain already. */
async function namesOfSignIns(auth: AuthService): Promise<Set<string>> {
  const names = new Set<string>();
  for (const entry of await auth.profiles()) {
    if (!entry.usable || !maySignIn(entry.profile)) continue;
    if (hasSignIn(await auth.signInState(entry.profile))) names.add(signInKey(entry.profile));
  }
  return names;
}
