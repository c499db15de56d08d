import { auditFile } from '../audit/audit-file.ts';
import { auditTargets, chooseAudit } from '../permissions/policy/audit-choice.ts';
import { shownCollector } from '../permissions/policy/format.ts';
import { isLocked } from '../permissions/policy/policy.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import { CausewayError } from '../platform/errors.ts';
import type { CommandContext } from './command.ts';
import { printable, writeAnswer, writeLine } from './terminal.ts';

export interface AuditOptions {
  json?: boolean;
  otlp?: string;
  file?: boolean;
}

/** `causeway audit`: whether calls are audited, and where to. */
export async function showAudit(context: CommandContext, { json }: AuditOptions): Promise<void> {
  const targets = await auditTargets(context.env);
  const managed = isLocked(await currentPolicy(), 'audit');
  const file = targets?.file ? auditFile(context.env) : null;
  if (json) {
    const otlp = targets?.otlp === undefined ? null : shownCollector(targets.otlp);
    return writeAnswer(context, 'audit', { on: targets !== undefined, file, otlp, managed });
  }
  if (managed) await writeLine(context.stdout, 'Managed by your organization. See: causeway policy show');
  if (!targets) return writeLine(context.stdout, 'Calls are not audited. Start with: causeway audit on');
  if (file !== null) await writeLine(context.stdout, printable(`Calls are audited in ${file}, without contents.`));
  if (targets.otlp !== undefined) {
    await writeLine(
      context.stdout,
      printable(`Calls are audited to ${shownCollector(targets.otlp)}, without contents.`),
    );
  }
}

/** `causeway audit on`: into a file, to a collector, or both. */
export async function startAudit(context: CommandContext, { otlp, file, json }: AuditOptions): Promise<void> {
  if (otlp !== undefined && !(URL.canParse(otlp) && /^https?:$/.test(new URL(otlp).protocol))) {
    throw new CausewayError('usage', `--otlp "${otlp}" is not the address of a collector.`, {
      remedy: 'Use the form http://localhost:4318, without /v1/logs.',
    });
  }
  await chooseAudit(context.env, { file: file ?? otlp === undefined, ...(otlp === undefined ? {} : { otlp }) });
  await showAudit(context, { json: json === true });
}

/** `causeway audit off`. What was written stays. */
export async function stopAudit(context: CommandContext, { json }: AuditOptions): Promise<void> {
  await chooseAudit(context.env, { file: false });
  await showAudit(context, { json: json === true });
}
