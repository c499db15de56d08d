import { lastListedTools } from '../bridge/answer-store.ts';
import { openServers } from '../clients/servers.ts';
import { readRules } from '../permissions/change.ts';
import type { ListedTool } from '../permissions/decision.ts';
import { isRuledServer } from '../permissions/policy/host-pattern.ts';
import { lockedRules } from '../permissions/policy/managed-rules.ts';
import type { Policy } from '../permissions/policy/policy.ts';
import { effectiveRules, type RuleRow, rulesInEffect } from '../permissions/policy/rules-in-effect.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import { formatRules, type Rules } from '../permissions/rules.ts';
import { RulesFile } from '../permissions/rules-file.ts';
import { serverKey } from '../permissions/server-key.ts';
import { sentences } from '../platform/errors.ts';
import { remedyFor } from '../words/failure.ts';
import type { CommandContext } from './command.ts';
import { jsonFailure } from './failure.ts';
import { columns, printable, write, writeJson, writeLine } from './terminal.ts';

/** How many of the latest changes are shown. */
const SHOWN_CHANGES = 5;

/** What decides about tools on this computer. */
export interface RulesHere {
  policy: Policy;
  own: Rules;
  rows: RuleRow[];
  /** The names of a row's servers; null for every server. */
  serversOf(row: RuleRow): string[] | null;
}

/** Reads the organization's rules and the user's own. @throws {CausewayError} `invalid_file` */
export async function rulesHere(context: CommandContext): Promise<RulesHere> {
  const [own, policy, names] = await Promise.all([
    readRules(new RulesFile(context.env)),
    currentPolicy(),
    serverNames(context),
  ]);
  const tools = await knownTools(context);
  const rows = rulesInEffect(policy, own, (server) => tools.get(server) ?? []);
  const serversOf = ({ server, by }: RuleRow) => {
    if (server === null) return null;
    if (by === 'user') return names.get(server) ?? [server];
    const named = [...names].flatMap(([key, known]) => (isRuledServer(server, key) ? known : []));
    return named.length > 0 ? named : [server];
  };
  return { policy, own, rows, serversOf };
}

/** `causeway rules`: every rule with who has decided it, and the latest changes. */
export async function listRules(context: CommandContext, options: { json?: boolean }): Promise<void> {
  const here = await rulesHere(context);
  if (options.json) return writeJson(context.stdout, asData(here));
  const { policy, own, rows, serversOf } = here;
  const line = organizationLine(policy, rows);
  if (line !== undefined) await writeLine(context.stdout, printable(line));
  if (policy.problem === null && rows.length === 0) {
    await writeLine(context.stdout, 'No rules yet. Every client may use every tool.');
    return writeLine(context.stdout, 'Start with: causeway rules set --all --read-only');
  }
  const isManaged = rows.some(({ by }) => by === 'organization');
  const table = rows.map((row) => [
    serversOf(row)?.join(', ') ?? 'all',
    row.client?.id ?? 'all',
    ruleText(row),
    ...(isManaged ? [deciderText(row)] : []),
  ]);
  const heads = ['SERVER', 'CLIENT', 'RULE', ...(isManaged ? ['SET BY'] : [])];
  for (const each of columns([heads, ...table.map((cells) => cells.map(printable))]))
    await writeLine(context.stdout, each);
  const latest = (own.history ?? []).slice(-SHOWN_CHANGES).toReversed();
  if (latest.length > 0) await write(context.stdout, '\nLatest changes:\n');
  for (const { at, what } of latest) await writeLine(context.stdout, `  ${localTime(at)}  ${what}`);
}

/** What the organization's rules mean for the user's own, as sentences; undefined if it decides nothing here. */
function organizationLine(policy: Policy, rows: readonly RuleRow[]): string | undefined {
  if (policy.problem)
    return sentences(policy.problem.message, 'No tool may be called.', remedyFor('command', policy.problem));
  const ofOrganization = rows.filter(({ by }) => by === 'organization');
  if (ofOrganization.length === 0) return undefined;
  const whose = policy.organization === null ? 'your organization' : `your organization (${policy.organization})`;
  const what = ofOrganization.some(({ locked }) => locked)
    ? 'its locked rules take precedence'
    : 'its rules apply where you have none';
  return `Managed by ${whose}: ${what}. See: causeway policy show`;
}

function ruleText(row: RuleRow): string {
  const text = formatRules(row.of);
  if (row.held.length === 0) return text;
  const after = effectiveRules(row);
  return after === undefined
    ? `${text} (no effect: ${heldText(row)})`
    : `${formatRules(after)} (no effect: ${formatRules(row.of)}, because ${heldText(row)})`;
}

function heldText({ held }: RuleRow): string {
  return held.map(({ what }) => what).join(', ');
}

function deciderText({ by, locked }: Pick<RuleRow, 'by' | 'locked'>): string {
  if (by === 'user') return 'you';
  return locked ? 'organization' : 'organization, until you decide';
}

function asData({ policy, own, rows, serversOf }: RulesHere): object {
  const ofUser = rows.filter(({ by }) => by === 'user');
  return {
    rules: ofUser.map((row) => ({ ...placeOf(row, serversOf), ...row.of })),
    history: own.history ?? [],
    ...inEffectData({ policy, rows, serversOf }),
  };
}

/** What decides about tools, and who has decided it. */
export function inEffectData({ policy, rows, serversOf }: Omit<RulesHere, 'own'>) {
  return {
    inEffect: rows.flatMap((row) => {
      const of = effectiveRules(row);
      return of === undefined ? [] : [{ ...placeOf(row, serversOf), ...of, by: row.by, locked: row.locked }];
    }),
    organization: policy.source === null ? null : organizationData(policy),
  };
}

function placeOf(row: RuleRow, serversOf: RulesHere['serversOf']) {
  const servers = serversOf(row);
  return { server: servers?.[0] ?? null, servers, client: row.client?.id ?? null };
}

function organizationData(policy: Policy) {
  const { source, organization: name, contact, problem, keys } = policy;
  const locked = lockedRules(policy).length > 0 && (keys.readOnly?.locked === true || keys.rules?.locked === true);
  return { source, name, contact, locked: problem !== null || locked, problem: problem && jsonFailure(problem) };
}

/** What decides about tools, in a line for each rule. */
export function inEffectLines({ inEffect, organization }: ReturnType<typeof inEffectData>): string[] {
  if (organization?.problem) return [`no tool may be called: ${organization.problem.message}`];
  return inEffect.map(({ servers, client, by, locked, ...of }) => {
    const where = [servers?.join(', ') ?? 'all servers', ...(client === null ? [] : [client])].join(', ');
    return `${where}: ${formatRules(of)}${by === 'user' ? '' : ` (${deciderText({ by, locked })})`}`;
  });
}

/** The configured servers' names by their `serverKey`. A profile that is gone has no host: its servers' rules show their address. */
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
