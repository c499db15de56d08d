import { join } from 'node:path';
import { lockedValue, managedError } from '../../permissions/policy/policy.ts';
import { currentPolicy } from '../../permissions/policy/system-policy.ts';
import { readBytes } from '../../platform/bounded-file.ts';
import { CausewayError } from '../../platform/errors.ts';
import { jsonIn } from '../../platform/json.ts';
import { configFolder, SETTINGS_NAME } from '../../platform/paths.ts';
import { writeWholeFile } from '../../platform/replace-file.ts';
import type { ChosenKind } from './open-store.ts';

/**
 * Remembers where sign-ins are kept, for every process of this user, in the settings that the window changes too. Not for use while
 * the application runs, which has them in memory.
 * @throws {CausewayError} `invalid_file`, `file_not_writable`; `managed` if the organization has decided otherwise
 */
export async function chooseStore(env: NodeJS.ProcessEnv, kind: ChosenKind): Promise<void> {
  const policy = await currentPolicy();
  const managed = lockedValue(policy, 'tokenStore');
  if (managed !== undefined && managed !== kind) {
    throw managedError(policy, 'tokenStore', 'sign-ins cannot be kept elsewhere');
  }
  const path = join(configFolder(env), `${SETTINGS_NAME}.json`);
  const bytes = await readBytes(path, 'own');
  const stored = bytes === undefined ? {} : jsonIn(String(bytes));
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) {
    throw new CausewayError('invalid_file', `The settings in ${path} are damaged. Nothing was changed.`, {
      remedy: 'Correct the file, or remove it.',
    });
  }
  await writeWholeFile(path, `${JSON.stringify({ ...stored, tokenStore: kind }, undefined, 2)}\n`, { mode: 0o600 });
}
