import { lastListedTools } from '../bridge/answer-store.ts';
import { openServers } from '../clients/servers.ts';
import { readPermissions } from '../permissions/change.ts';
import type { ListedTool } from '../permissions/decision.ts';
import { formatPermissions, type Permissions } from '../permissions/permissions.ts';
import { PermissionsFile } from '../permissions/permissions-file.ts';
import { isNamedServer } from '../permissions/policy/host-pattern.ts';
import { effectivePermissions, type PermissionRow, permissionsInEffect } from '../permissions/policy/in-effect.ts';
import { lockedPermissions } from '../permissions/policy/managed-permissions.ts';
import type { Policy } from '../permissions/policy/policy.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import { serverKey } from '../permissions/server-key.ts';
import { sentences } from '../platform/errors.ts';
import { remedyFor } from '../words/failure.ts';
import type { CommandContext } from './command.ts';
import { jsonFailure } from './failure.ts';
import { columns, printable, write, writeJson, writeLine } from './terminal.ts';

/** How many of the latest changes are shown. */
const SHOWN_CHANGES = 5;

/** What decides about tools on this computer. */
export interface PermissionsHere {
  policy: Policy;
  own: Permissions;
  rows: PermissionRow[];
  /** The names of a row's servers; null for every server. */
  serversOf(row: PermissionRow): string[] | null;
}

/** Reads the organization's permissions and the user's own. @throws {CausewayError} `invalid_file` */
export async function permissionsHere(context: CommandContext): Promise<PermissionsHere> {
  const [own, policy, names] = await Promise.all([
    readPermissions(new PermissionsFile(context.env)),
    currentPolicy(),
    serverNames(context),
  ]);
  const tools = await knownTools(context);
  const rows = permissionsInEffect(policy, own, (server) => tools.get(server) ?? []);
  const serversOf = ({ server, by }: PermissionRow) => {
    if (server === null) return null;
    if (by === 'user') return names.get(server) ?? [server];
    const named = [...names].flatMap(([key, known]) => (isNamedServer(server, key) ? known : []));
    return named.length > 0 ? named : [server];
  };
  return { policy, own, rows, serversOf };
}

/** `causeway permissions`: every permission with who has decided it, and the latest changes. */
export async function listPermissions(context: CommandContext, options: { json?: boolean }): Promise<void> {
  const here = await permissionsHere(context);
  if (options.json) return writeJson(context.stdout, asData(here));
  const { policy, own, rows, serversOf } = here;
  const line = organizationLine(policy, rows);
  if (line !== undefined) await writeLine(context.stdout, printable(line));
  if (policy.problem === null && rows.length === 0) {
    await writeLine(context.stdout, 'Nothing is restricted yet. Every client may use every tool.');
    return writeLine(context.stdout, 'Start with: causeway permissions set --all --read-only');
  }
  const isManaged = rows.some(({ by }) => by === 'organization');
  const table = rows.map((row) => [
    serversOf(row)?.join(', ') ?? 'all',
    row.client?.id ?? 'all',
    permissionText(row),
    ...(isManaged ? [deciderText(row)] : []),
  ]);
  const heads = ['SERVER', 'CLIENT', 'PERMISSION', ...(isManaged ? ['SET BY'] : [])];
  for (const each of columns([heads, ...table.map((cells) => cells.map(printable))]))
    await writeLine(context.stdout, each);
  const latest = (own.history ?? []).slice(-SHOWN_CHANGES).toReversed();
  if (latest.length > 0) await write(context.stdout, '\nLatest changes:\n');
  for (const { at, what } of latest) await writeLine(context.stdout, `  ${localTime(at)}  ${what}`);
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
  if (row.held.length === 0) return text;
  const after = effectivePermissions(row);
  return after === undefined
    ? `${text} (no effect: ${heldText(row)})`
    : `${formatPermissions(after)} (no effect: ${formatPermissions(row.of)}, because ${heldText(row)})`;
}

function heldText({ held }: PermissionRow): string {
  return held.map(({ what }) => what).join(', ');
}

function deciderText({ by, locked }: Pick<PermissionRow, 'by' | 'locked'>): string {
  if (by === 'user') return 'you';
  return locked ? 'organization' : 'organization, until you decide';
}

function asData({ policy, own, rows, serversOf }: PermissionsHere): object {
  const ofUser = rows.filter(({ by }) => by === 'user');
  return {
    rules: ofUser.map((row) => ({ ...placeOf(row, serversOf), ...row.of })),
    history: own.history ?? [],
    ...inEffectData({ policy, rows, serversOf }),
  };
}

/** What decides about tools, and who has decided it. */
export function inEffectData({ policy, rows, serversOf }: Omit<PermissionsHere, 'own'>) {
  return {
    inEffect: rows.flatMap((row) => {
      const of = effectivePermissions(row);
      return of === undefined ? [] : [{ ...placeOf(row, serversOf), ...of, by: row.by, locked: row.locked }];
    }),
    organization: policy.source === null ? null : organizationData(policy),
  };
}

function placeOf(row: PermissionRow, serversOf: PermissionsHere['serversOf']) {
  const servers = serversOf(row);
  return { server: servers?.[0] ?? null, servers, client: row.client?.id ?? null };
}

function organizationData(policy: Policy) {
  const { source, organization: name, contact, problem, keys } = policy;
  const locked =
    lockedPermissions(policy).length > 0 && (keys.readOnly?.locked === true || keys.rules?.locked === true);
  return { source, name, contact, locked: problem !== null || locked, problem: problem && jsonFailure(problem) };
}

/** What decides about tools, in a line for each permission. */
export function inEffectLines({ inEffect, organization }: ReturnType<typeof inEffectData>): string[] {
  if (organization?.problem) return [`no tool may be called: ${organization.problem.message}`];
  return inEffect.map(({ servers, client, by, locked, ...of }) => {
    const where = [servers?.join(', ') ?? 'all servers', ...(client === null ? [] : [client])].join(', ');
    return `${where}: ${formatPermissions(of)}${by === 'user' ? '' : ` (${deciderText({ by, locked })})`}`;
  });
}

/** The configured servers' names by their `serverKey`. A profile that is gone has no host: its servers' permissions show their address. */
export async function serverNames(context: CommandContext): Promise<Map<string, string[]>> {
  const names = new Map<string, string[]>();
  for (const { name, key } of await serversWithKeys(context)) names.set(key, [...(names.get(key) ?? []), name]);
  return names;
}

/** What the configured servers have last said about their tools, by their `serverKey`. */
async function knownTools(context: CommandContext): Promise<Map<string, ListedTool[]>> {
  const tools = new Map<string, ListedTool[]>();
  for (const { key, ...server } of await serversWithKeys(context)) {
    const listed = await lastListedTools(context.env, server);
    if (listed) tools.set(key, [...(tools.get(key) ?? []), ...listed]);
  }
  return tools;
}

async function serversWithKeys(context: CommandContext) {
  const { servers } = (await openServers(context.env)).atOpening;
  const profiles = await (await context.causeway().auth()).profiles().catch(() => []);
  return servers.flatMap(({ name, profile, path }) => {
    const entry = profiles.find((each) => each.name === profile);
    const host = entry?.usable ? entry.profile.host : entry?.host;
    return host && URL.canParse(host) ? [{ name, profile, path, host, key: serverKey(host, path) }] : [];
  });
}

function localTime(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : time.toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
}
