import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CausewayError } from '../platform/errors.ts';
import { codeOf, fileError } from '../platform/file-errors.ts';
import { ignoredKeys, type PolicyFact, policyFacts } from '../policy/format.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import { askWhom, type Policy } from '../policy/policy.ts';
import { systemPolicy } from '../policy/system-policy.ts';
import type { CommandContext } from './command.ts';
import { jsonFailure } from './failure.ts';
import { columns, printable, writeJson, writeLine } from './terminal.ts';

/** `causeway policy show`: what the organization has decided, by which file, and what users cannot change. */
export async function showPolicy(context: CommandContext, options: { json?: boolean }): Promise<void> {
  const file = systemPolicy();
  const policy = await file.now();
  if (policy.problem) context.setExitCode(1);
  if (options.json) return writeJson(context.stdout, asData(policy, file.place));
  if (policy.problem) {
    const { message, remedy = '' } = policy.problem;
    await writeLine(context.stdout, message);
    return writeLine(context.stdout, remedy);
  }
  if (policy.source === null) {
    return writeLine(context.stdout, `Nothing is managed: there is no ${file.place}.`);
  }
  const whose = policy.organization === null ? 'your organization' : `your organization, ${policy.organization}`;
  await writeLine(context.stdout, printable(`Managed by ${whose}, in ${policy.source}.`));
  await printFacts(context, policyFacts(policy));
  const notice = ignoredKeys(policy);
  if (notice !== undefined) await writeLine(context.stdout, printable(notice));
  await writeLine(context.stdout, printable(`To change a locked setting: ${askWhom(policy.contact)}`));
}

/** `causeway policy check FILE`: whether a file is a policy, and what it would decide. Changes nothing. */
export async function checkPolicy(context: CommandContext, name: string, options: { json?: boolean }): Promise<void> {
  const path = resolve(name);
  const bytes = await readFile(path).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') throw new CausewayError('not_found', `There is no file ${path}.`, { cause });
    throw fileError(path, cause, 'It was not read.');
  });
  const policy = await parsePolicy(path, bytes);
  if (options.json) return writeJson(context.stdout, asData(policy, path));
  await writeLine(context.stdout, printable(`${path} is a valid policy.`));
  await printFacts(context, policyFacts(policy));
  await writeLine(
    context.stdout,
    `It takes effect once it is ${systemPolicy().place}. Only administrators can write there.`,
  );
}

async function printFacts(context: CommandContext, facts: PolicyFact[]): Promise<void> {
  if (facts.length === 0) return writeLine(context.stdout, 'It sets nothing.');
  const rows = facts.map(({ title, value, locked, reason }) =>
    [title, locked ? 'locked' : 'default', value, reason ?? ''].map(printable),
  );
  for (const line of columns([['WHAT', 'STATE', 'VALUE', 'WHY'], ...rows])) await writeLine(context.stdout, line);
}

function asData({ source, organization, contact, problem, keys, ignored }: Policy, place: string): object {
  return { place, source, organization, contact, problem: problem && jsonFailure(problem), keys, ignored };
}
