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

/** A scope with what users call it. */
export interface NamedScope extends RuleScope {
  words: string;
}

const EVERYTHING = 'everything';

/** The scope of a client, a server, both or everything. */
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
  /** The server's tools as it lists them; those that no list names stay as they are where an edit decides about new ones. */
  tools?: readonly string[] | undefined;
  /** Only works out what would be stored. */
  dryRun?: boolean | undefined;
}

/**
 * Edits or removes the rules of a scope, and notes that in the history.
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
