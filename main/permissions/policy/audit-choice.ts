import { statSync } from 'node:fs';
import { join } from 'node:path';
import { configFolder, stateFolder } from '../../platform/paths.ts';
import { type AuditTargets, defaultValue, lockedValue, managedError } from './policy.ts';
import { currentPolicy } from './system-policy.ts';

const NAME = 'audit';

/** Where calls are audited to. @throws {CausewayError} as `openSettings` and reading the file */
export async function auditTargets(env: NodeJS.ProcessEnv): Promise<AuditTargets | undefined> {
  const policy = await currentPolicy();
  // Where the policy cannot be used, nothing is called that could be audited.
  if (policy.problem) return undefined;
  const managed = lockedValue(policy, 'audit');
  if (managed) return asked(managed);
  const isChosen = statSync(join(configFolder(env), `${NAME}.json`), { throwIfNoEntry: false }) !== undefined;
  return asked(isChosen ? (await openChoice(env)).read() : defaultValue(policy, 'audit'));
}

/** Stores the user's choice. @throws {CausewayError} `managed`, `file_not_writable` */
export async function chooseAudit(env: NodeJS.ProcessEnv, targets: AuditTargets): Promise<void> {
  const policy = await currentPolicy();
  if (lockedValue(policy, 'audit')) throw managedError(policy, 'audit', 'the audit of calls cannot be changed');
  await (await openChoice(env)).change(() => targets);
}

function asked(targets: AuditTargets | undefined): AuditTargets | undefined {
  return targets && (targets.file || targets.otlp !== undefined) ? targets : undefined;
}

async function openChoice(env: NodeJS.ProcessEnv) {
  const [{ openSettings }, { z }] = await Promise.all([import('../../platform/settings.ts'), import('zod')]);
  return openSettings<{ file: boolean; otlp?: string | undefined }>({
    folder: configFolder(env),
    name: NAME,
    schema: z.object({ file: z.boolean(), otlp: z.url().optional() }),
    empty: { file: false },
    lockFolder: join(stateFolder(env), 'locks', NAME),
    damaged: 'set-aside',
  });
}
