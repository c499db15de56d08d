import { resolve } from 'node:path';
import { type PolicyTrial, tryPolicy } from '../app/diagnosis/policy-check/check.ts';
import { type Computer, readComputer } from '../app/diagnosis/policy-check/computer.ts';
import type { PolicyIssue } from '../app/diagnosis/policy-check/issue.ts';
import { withSimilarMember } from '../app/diagnosis/policy-check/unknown-members.ts';
import { ignoredKeys, type PolicyFact, policyFacts, shownAudit } from '../permissions/policy/format.ts';
import { parsePolicy } from '../permissions/policy/parse-policy.ts';
import { askWhom, type Policy } from '../permissions/policy/policy.ts';
import { policyJsonSchema } from '../permissions/policy/policy-schema.ts';
import { currentPolicy, systemPolicy } from '../permissions/policy/system-policy.ts';
import { readBounded } from '../platform/bounded-file.ts';
import { CausewayError, sentences } from '../platform/errors.ts';
import { codeOf, fileError } from '../platform/file-errors.ts';
import { didYouMean } from '../platform/similar-names.ts';
import { remedyFor } from '../words/failure.ts';
import type { Answer } from './answers/answers.ts';
import { openClients } from './clients/options.ts';
import type { CommandContext } from './command.ts';
import { exitCodeOf, jsonFailure } from './failure.ts';

import { printable, write, writeAnswer, writeDone, writeJson, writeLine, writeTable } from './terminal.ts';

/** `causeway policy show`: what the organization has decided, by which file, and what users cannot change. */
export async function showPolicy(context: CommandContext, options: { json?: boolean }): Promise<void> {
  const file = systemPolicy();
  const policy = await file.now();
  if (policy.problem) context.setExitCode(exitCodeOf(policy.problem));
  if (options.json) return writeAnswer(context, 'policy show', asData(policy, file.place));
  if (policy.problem) {
    await writeLine(context.stdout, policy.problem.message);
    return writeLine(context.stdout, remedyFor('command', policy.problem) ?? '');
  }
  if (policy.source === null) {
    return writeLine(context.stdout, `Nothing is managed: there is no ${file.place}.`);
  }
  const whose = policy.organization === null ? 'your organization' : `your organization, ${policy.organization}`;
  await writeLine(context.stdout, printable(`Managed by ${whose}, in ${policy.source}.`));
  await printFacts(context, policyFacts(policy));
  const notice = ignoredKeys(policy);
  if (notice !== undefined) await writeLine(context.stdout, printable(notice));
  await writeDone(context, printable(`To change a locked setting: ${askWhom(policy.contact)}`));
}

/** `causeway policy schema`: the JSON Schema of a policy. */
export async function printPolicySchema(context: CommandContext): Promise<void> {
  await writeJson(context.stdout, policyJsonSchema());
}

interface CheckPolicyOptions {
  json?: boolean;
  /** Whether warnings count as errors for the exit code. */
  strict?: boolean;
}

/**
 * `causeway policy check FILE`: whether a file is a policy, what in it is wrong, and what the user of this computer would lose.
 * Changes nothing. The file need not be installed.
 */
export async function checkPolicy(context: CommandContext, name: string, options: CheckPolicyOptions): Promise<void> {
  const path = resolve(name);
  const bytes = await readBounded(path, 'given').catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') throw new CausewayError('not_found', `There is no file ${path}.`, { cause });
    throw fileError(path, cause, 'It was not read.');
  });
  const policy = await parsePolicy(path, bytes).catch((error: unknown) => {
    throw withSimilarMember(error, bytes);
  });
  const auth = await context.causeway().auth();
  const computer = await readComputer(context.env, auth, openClients(context, {}));
  const trial = tryPolicy(policy, await currentPolicy(), computer);
  const count = (severity: PolicyIssue['severity']) => trial.issues.filter((each) => each.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  if (errors > 0 || (options.strict && warnings > 0)) context.setExitCode(1);
  if (options.json) {
    const { home } = computer;
    const effects = trial.effects.map(({ server = null, client = null, ...effect }) => ({ ...effect, server, client }));
    const { issues } = trial;
    const answer = { ...asData(policy, path), errors, warnings, computer: { home }, issues, effects };
    return writeAnswer(context, 'policy check', answer);
  }
  await writeLine(context.stdout, `${path} ${verdictOn(errors, warnings)}`);
  await printFacts(context, policyFacts(policy));
  await printIssues(context, trial.issues);
  await printEffects(context, trial.effects, computer);
  if (context.quiet) return;
  await write(context.stdout, '\n');
  await writeDone(context, `It takes effect once it is ${systemPolicy().place}. Only administrators can write there.`);
}

function verdictOn(errors: number, warnings: number): string {
  const counted = [counts(errors, 'error'), counts(warnings, 'warning')]
    .filter((text) => text !== undefined)
    .join(', ');
  if (errors > 0) return `can be read as a policy, but should not be installed: ${counted}.`;
  return warnings > 0 ? `is a valid policy, with ${counted}.` : 'is a valid policy.';
}

function counts(count: number, what: string): string | undefined {
  if (count === 0) return undefined;
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

const SEVERITIES = { error: 'Error', warning: 'Warning', note: 'Not checked' } as const;

async function printIssues(context: CommandContext, issues: readonly PolicyIssue[]): Promise<void> {
  if (issues.length > 0) await write(context.stdout, '\n');
  for (const { severity, at, message, suggestions } of issues) {
    const text = sentences(message, didYouMean(suggestions));
    await writeLine(context.stdout, `${SEVERITIES[severity]} in ${at}: ${text}`);
  }
}

type Effect = PolicyTrial['effects'][number];

const EFFECTS: Record<Effect['effect'], string> = {
  refused: 'refused',
  asks: 'asks first',
  'signs-in': 'signs in again',
  stays: 'stays',
  added: 'added',
  replaced: 'replaced',
  locked: 'locked',
};

async function printEffects(context: CommandContext, effects: readonly Effect[], computer: Computer): Promise<void> {
  const { home, accounts, servers } = computer;
  await write(context.stdout, '\n');
  if (accounts.length + servers.length === 0) {
    await writeLine(context.stdout, `There are no accounts and no servers in ${home} to try it on.`);
  }
  if (effects.length === 0) {
    return writeLine(context.stdout, `Tried on this computer, in ${home}: its user would lose nothing.`);
  }
  await writeLine(context.stdout, `Tried on this computer, in ${home}, it would change for its user:`);
  const rows = grouped(effects).map(({ names, effect }) => {
    const { what, server, client, effect: result, locked, already, key, why } = effect;
    const where = [
      ...(server === undefined ? [] : [`of ${server}`]),
      ...(client === undefined ? [] : [`for ${client}`]),
    ];
    const until = locked ? '' : ', until they decide';
    return [
      what,
      [names.join(', '), ...where].join(' '),
      `${EFFECTS[result]}${until}${already ? ', as now' : ''}`,
      key,
      why,
    ];
  });
  await writeTable(context, rows, ['WHAT', 'NAME', 'EFFECT', 'KEY', 'WHY']);
}

/** Tools for which the same holds, in one row. */
function grouped(effects: readonly Effect[]): { names: string[]; effect: Effect }[] {
  const rows = new Map<string, { names: string[]; effect: Effect }>();
  for (const effect of effects) {
    const { name, ...rest } = effect;
    const row = JSON.stringify(effect.what === 'tool' ? rest : effect);
    const known = rows.get(row);
    if (known) known.names.push(name);
    else rows.set(row, { names: [name], effect });
  }
  return [...rows.values()];
}

async function printFacts(context: CommandContext, facts: PolicyFact[]): Promise<void> {
  if (facts.length === 0) return writeLine(context.stdout, 'It sets nothing.');
  const rows = facts.map(({ title, value, locked, reason }) => [
    title,
    locked ? 'locked' : 'default',
    value,
    reason ?? '',
  ]);
  await writeTable(context, rows, ['WHAT', 'STATE', 'VALUE', 'WHY']);
}

function asData(policy: Policy, place: string): Answer<'policy show'> {
  const { source, organization, contact, problem, keys, ignored } = policy;
  const decided = Object.entries(keys).flatMap(([name, entry]) => {
    if (!entry) return [];
    const { value, locked, reason = null } = entry;
    return [[name, { value: entry === keys.audit ? shownAudit(keys.audit.value) : value, locked, reason }]];
  });
  const error = problem && jsonFailure(problem);
  return { place, source, organization, contact, keys: Object.fromEntries(decided), ignored: [...ignored], error };
}
