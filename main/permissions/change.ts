import { CausewayError } from '../platform/errors.ts';
import {
  formatRules,
  type RuleChange,
  type RuleClient,
  type RuleEdit,
  type RuleScope,
  type Rules,
  rulesOf,
  withChange,
  withEdit,
  withKnownTools,
  withoutScope,
} from './rules.ts';
import type { RulesFile } from './rules-file.ts';

/** A scope and its name for users. */
export interface NamedScope extends RuleScope {
  words: string;
}

const EVERYTHING = 'everything';

/** The scope for a client, a server, a client at a server, or everything. */
export function scopeOf(client: RuleClient | undefined, server?: { key: string; name: string }): NamedScope {
  if (!server) return { client, words: client ? `${client.name} on all servers` : EVERYTHING };
  return { server: server.key, client, words: client ? `${client.name} on ${server.name}` : server.name };
}

/** The rules as they are in the file now. @throws {CausewayError} `invalid_file` */
export async function readRules(file: RulesFile): Promise<Rules> {
  await file.refresh();
  if (file.rules instanceof CausewayError) throw file.rules;
  return file.rules;
}

export interface RuleChangeOptions {
  by: RuleChange['by'];
  /** The tools that the server lists. If an edit decides about new tools, these keep their current state. */
  tools?: readonly string[] | undefined;
  /** Only computes what would be stored. */
  dryRun?: boolean | undefined;
}

/**
 * Edits or removes the rules of a scope, and adds the change to the history.
 * @throws {CausewayError} as `withEdit` and `RulesFile.change`
 */
export async function changeRules(
  file: RulesFile,
  scope: NamedScope,
  edit: RuleEdit | 'remove',
  { by, tools = [], dryRun = false }: RuleChangeOptions,
): Promise<Rules> {
  const changed = (now: Rules): Rules =>
    edit === 'remove'
      ? withoutScope(now, scope)
      : withEdit(now, scope, withKnownTools(edit, rulesOf(now, scope), tools));
  if (dryRun) return changed(await readRules(file));
  const words = scope.words === EVERYTHING ? 'Everything' : scope.words;
  const what = `${words}: ${edit === 'remove' ? 'rules removed' : formatRules(edit)}`;
  return file.change((now) => withChange(changed(now), { at: new Date().toISOString(), by, what }));
}
