import { CausewayError } from '../platform/errors.ts';
import type { ListedTool } from './decide.ts';
import { ineffectiveUnder } from './ineffective.ts';
import {
  formatPermissions,
  type PermissionChange,
  type PermissionClient,
  type PermissionEdit,
  type PermissionScope,
  type Permissions,
  permissionsOf,
  withChange,
  withEdit,
  withKnownTools,
  withoutScope,
} from './permissions.ts';
import type { PermissionsFile } from './permissions-file.ts';
import { managedError, type Policy } from './policy/policy.ts';
import { currentPolicy } from './policy/system-policy.ts';

/** A scope and its name for users. */
export interface NamedScope extends PermissionScope {
  words: string;
}

const EVERYTHING = 'everything';

/** The scope for a client, a server, a client at a server, or everything. */
export function scopeOf(client: PermissionClient | undefined, server?: { key: string; name: string }): NamedScope {
  if (!server) return { client, words: client ? `${client.name} on all servers` : EVERYTHING };
  return { server: server.key, client, words: client ? `${client.name} on ${server.name}` : server.name };
}

/** The permissions as they are in the file now. @throws {CausewayError} `invalid_file` */
export async function readPermissions(file: PermissionsFile): Promise<Permissions> {
  await file.refresh();
  if (file.permissions instanceof CausewayError) throw file.permissions;
  return file.permissions;
}

export interface PermissionChangeOptions {
  by: PermissionChange['by'];
  /** The tools that the server lists. If an edit decides about new tools, these keep their current state. */
  tools?: readonly ListedTool[] | undefined;
  /** Only computes what would be stored. */
  dryRun?: boolean | undefined;
}

/**
 * Edits or removes the permissions of a scope, and adds the change to the history.
 * @throws {CausewayError} `managed` if the organization leaves the change without effect; and as `withEdit` and `PermissionsFile.change`
 */
export async function changePermissions(
  file: PermissionsFile,
  scope: NamedScope,
  edit: PermissionEdit | 'remove',
  { by, tools = [], dryRun = false }: PermissionChangeOptions,
): Promise<Permissions> {
  checkChange(await currentPolicy(), scope, edit, tools);
  const names = tools.map(({ name }) => name);
  const changed = (now: Permissions): Permissions =>
    edit === 'remove'
      ? withoutScope(now, scope)
      : withEdit(now, scope, withKnownTools(edit, permissionsOf(now, scope), names));
  if (dryRun) return changed(await readPermissions(file));
  const words = scope.words === EVERYTHING ? 'Everything' : scope.words;
  const what = `${words}: ${edit === 'remove' ? 'permissions reset' : formatPermissions(edit)}`;
  return file.change((now) => withChange(changed(now), { at: new Date().toISOString(), by, what }));
}

function checkChange(
  policy: Policy,
  scope: NamedScope,
  edit: PermissionEdit | 'remove',
  tools: readonly ListedTool[],
): void {
  if (policy.problem) throw policy.problem;
  const ineffective = edit === 'remove' ? [] : ineffectiveUnder(policy, scope, edit, tools);
  const key = ineffective[0]?.key;
  if (!key) return;
  const what = ineffective.map((each) => each.what).join(', ');
  throw managedError(policy, key, `for ${scope.words}, ${what}. Nothing was changed`);
}
