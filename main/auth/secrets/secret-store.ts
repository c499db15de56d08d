import type { CausewayError } from '../../platform/errors.ts';
import type { Secret } from '../../platform/secret.ts';

/** Keeps secrets under names. A name is not secret: the operating system's keychain application can show it. */
export interface SecretStore {
  /** Whether other processes of this user see what is stored, as far as is known now. */
  readonly shared: boolean;
  /** Why the last read failed; undefined if it did not. */
  readonly unreadable?: CausewayError | undefined;
  /** Whether it has not answered for two seconds: its user may have to unlock it. */
  readonly isAwaited?: boolean;
  get(name: string): Promise<Secret | undefined>;
  /**
   * @param options `isRenewal` says that the value stored under the name no longer works, so that the new value
   * must not be kept for this process alone
   */
  set(name: string, value: Secret, options?: { isRenewal?: boolean }): Promise<void>;
  /** Makes sure that what is stored under the name could be replaced now. @throws {CausewayError} if it could not */
  prepare?(name: string): Promise<void>;
  /** Forgets what this process alone holds under the name: others have stored or removed it meanwhile. */
  forget?(name: string): void;
  /** Removes every trace of the name; nothing happens if there is none. */
  delete(name: string): Promise<void>;
}
