import { openKeychain } from '../../../main/auth/secrets/keychain.ts';

/** Why the keychain's tests cannot run here; undefined if they can. */
export const noKeychain: string | undefined = await openKeychain('Causeway tests')
  .get('is anybody there')
  .then(
    () => undefined,
    () => 'no keychain answers here',
  );

/** What a process needs to find this session's keychain. */
export const sessionVariables: NodeJS.ProcessEnv = Object.fromEntries(
  ['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'DISPLAY'].map((name) => [name, process.env[name]]),
);
