import { clockTime } from '../../preload/contract/words/times.ts';
import { type PermissionsHere, permissionsHere } from '../app/permissions.ts';
import { effectivePermissions, type PermissionRow } from '../permissions/in-effect.ts';
import { formatPermissions, type ToolPermissions } from '../permissions/permissions.ts';
import type { Policy } from '../permissions/policy/policy.ts';
import { sentences } from '../platform/errors.ts';
import { remedyFor } from '../words/failure.ts';
import type { Answer } from './answers/answers.ts';
import type { CommandContext } from './command.ts';
import { jsonFailure } from './failure.ts';

import { printable, write, writeAnswer, writeDone, writeLine, writeTable } from './terminal.ts';

/** How many of the latest changes are shown. */
const SHOWN_CHANGES = 5;

/** `causeway permissions`: every permission with who has decided it, and the latest changes. */
export async function listPermissions(context: CommandContext, options: { json?: boolean }): Promise<void> {
  const here = await permissionsHere(context.env, await context.causeway().auth());
  if (options.json) return writeAnswer(context, 'permissions list', asData(here));
  const { policy, own, rows, serversOf } = here;
  const line = organizationLine(policy, rows);
  if (line !== undefined) await writeLine(context.stdout, printable(line));
  if (policy.problem === null && rows.length === 0) {
    await writeLine(context.stdout, 'Nothing is restricted yet. Every client may use every tool.');
    return writeDone(context, 'Start with: causeway permissions set --all --read-only');
  }
  const isManaged = rows.some(({ by }) => by === 'organization');
  const table = rows.map((row) => [
    serversOf(row)?.join(', ') ?? 'all',
    row.client?.id ?? 'all',
    permissionText(row),
    ...(isManaged ? [deciderText(row)] : []),
  ]);
  const heads = ['SERVER', 'CLIENT', 'PERMISSION', ...(isManaged ? ['SET BY'] : [])];
  await writeTable(context, table, heads);
  const latest = (own.history ?? []).slice(-SHOWN_CHANGES).toReversed();
  if (latest.length > 0) await write(context.stdout, '\nLatest changes:\n');
  await writeTable(
    context,
    latest.map(({ at, what }) => [`  ${localTime(at)}`, what]),
  );
}

/** What the organization's permissions mean for the user's own, as sentences; undefined if it decides nothing here. */
function organizationLine(policy: Policy, rows: readonly PermissionRow[]): string | undefined {
  if (policy.problem)
    return sentences(policy.problem.message, 'No tool may be called.', remedyFor('command', policy.problem));
  const ofOrganization = rows.filter(({ by }) => by === 'organization');
  if (ofOrganization.length === 0) return undefined;
  const whose = policy.organization === null ? 'your organization' : `your organization (${policy.organization})`;
  const what = ofOrganization.some(({ locked }) => locked)
    ? 'its locked permissions take precedence'
    : 'its permissions apply where you have set none';
  return `Managed by ${whose}: ${what}. See: causeway policy show`;
}

function permissionText(row: PermissionRow): string {
  const text = formatPermissions(row.of);
  if (row.ineffective.length === 0) return text;
  const after = effectivePermissions(row);
  return after === undefined
    ? `${text} (no effect: ${ineffectiveText(row)})`
    : `${formatPermissions(after)} (no effect: ${formatPermissions(row.of)}, because ${ineffectiveText(row)})`;
}

function ineffectiveText({ ineffective }: PermissionRow): string {
  return ineffective.map(({ what }) => what).join(', ');
}

function deciderText({ by, locked }: Pick<PermissionRow, 'by' | 'locked'>): string {
  if (by === 'user') return 'you';
  return locked ? 'organization' : 'organization, until you decide';
}

type PermissionAnswer = Answer<'permissions set'>['permission'];
type InEffect = Exclude<Answer<'status'>['permissions'], { error: unknown }>;

function asData({ policy, own, rows, serversOf }: PermissionsHere): Answer<'permissions list'> {
  const ofUser = rows.filter(({ by }) => by === 'user');
  return {
    permissions: ofUser.map((row) => permissionAnswer(serversOf(row), row.client?.id, row.of)),
    history: own.history ?? [],
    ...inEffectData({ policy, rows, serversOf }),
  };
}

/** What decides about tools, and who has decided it. */
export function inEffectData({ policy, rows, serversOf }: Omit<PermissionsHere, 'own'>): InEffect {
  return {
    inEffect: rows.flatMap((row) => {
      const of = effectivePermissions(row);
      const { by, locked } = row;
      return of === undefined ? [] : [{ ...permissionAnswer(serversOf(row), row.client?.id, of), by, locked }];
    }),
    organization: organizationData(policy),
  };
}

/** The permissions of one scope as commands print them. */
export function permissionAnswer(
  servers: string[] | null,
  client: string | undefined,
  { readOnly, newTools, on = [], off = [], ask = [] }: ToolPermissions,
): PermissionAnswer {
  const decided = { readOnly: readOnly ?? null, newTools: newTools ?? null };
  return { servers, client: client ?? null, ...decided, on, off, ask };
}

function organizationData(policy: Policy): InEffect['organization'] {
  const { source, organization: name, contact, problem, keys } = policy;
  if (source === null) return null;
  const locked = keys.readOnly?.locked === true || keys.rules?.locked === true;
  return { source, name, contact, locked: problem !== null || locked, error: problem && jsonFailure(problem) };
}

/** What decides about tools, in a line for each permission. */
export function inEffectLines({ inEffect, organization }: InEffect): string[] {
  if (organization?.error) return [`no tool may be called: ${organization.error.message}`];
  return inEffect.map(({ servers, client, by, locked, readOnly, newTools, on, off, ask }) => {
    const of: ToolPermissions = {
      ...(readOnly !== null && { readOnly }),
      ...(newTools !== null && { newTools }),
      on,
      off,
      ask,
    };
    const where = [servers?.join(', ') ?? 'all servers', ...(client === null ? [] : [client])].join(', ');
    return `${where}: ${formatPermissions(of)}${by === 'user' ? '' : ` (${deciderText({ by, locked })})`}`;
  });
}

function localTime(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : clockTime(time.getTime(), Date.now());
}
