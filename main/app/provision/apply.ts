import { isDeepStrictEqual } from 'node:util';
import { serverAt } from '../../../preload/contract/server-kinds.ts';
import { sectionValues } from '../../auth/profiles/config-document.ts';
import { withProfile } from '../../auth/profiles/config-edit.ts';
import { checkConfigEdit, editConfig, readConfig } from '../../auth/profiles/config-file.ts';
import { parseHost } from '../../auth/profiles/host.ts';
import { judgeSettings } from '../../auth/profiles/profile-settings.ts';
import { allServers } from '../../clients/all-servers.ts';
import type { ChangeOutcome } from '../../clients/outcome.ts';
import { findServer, type ManagedServer, openServers, type ServerList, withServer } from '../../clients/servers.ts';
import type { ClientsService } from '../../clients/service.ts';
import type { PermissionSet, Permissions } from '../../permissions/permissions.ts';
import { withChange } from '../../permissions/permissions.ts';
import { PermissionsFile } from '../../permissions/permissions-file.ts';
import { checkServer, checkWorkspace } from '../../permissions/policy/policy.ts';
import { currentPolicy } from '../../permissions/policy/system-policy.ts';
import { keyOfAddress } from '../../permissions/server-key.ts';
import { asCausewayError, CausewayError } from '../../platform/errors.ts';
import { ownMember } from '../../platform/own-member.ts';
import { configFilePath } from '../../platform/paths.ts';
import { inOneLine } from '../../words/failure.ts';
import type { Provision, ProvisionedProfile } from './provision-file.ts';

/** The result of one part of a file. */
export interface Provisioned {
  what: 'profile' | 'server' | 'permission' | 'client';
  name: string;
  /** `conflict`: something else has this name here, and was left alone. */
  result: 'added' | 'would-add' | 'unchanged' | 'conflict' | 'failed' | 'not-installed';
  /** Why, if it is neither added nor unchanged. */
  message?: string;
  /** The failure behind it. */
  error?: CausewayError;
  /** For a client, what changes in its file. */
  diff?: string;
}

export interface ApplyOptions {
  env: NodeJS.ProcessEnv;
  clients: ClientsService;
  dryRun: boolean;
}

/** Adds what a computer lacks of a file. What is there and differs stays, and is named; nothing is removed. */
export async function applyProvision(provision: Provision, options: ApplyOptions): Promise<Provisioned[]> {
  const done: Provisioned[] = [];
  for (const profile of provision.profiles)
    done.push(await attempt('profile', profile.name, () => addProfile(profile, options)));
  const profiles = await knownProfiles(provision, done, options.env);
  const { servers, outcomes } = await addServers(provision, profiles, options);
  done.push(...outcomes, ...(await addPermissions(provision.rules, options)));
  for (const client of provision.clients) done.push(...(await addClient(client, servers, options)));
  return done;
}

type Part = Pick<Provisioned, 'result' | 'message'>;

async function attempt(what: Provisioned['what'], name: string, work: () => Promise<Part>): Promise<Provisioned> {
  try {
    return { what, name, ...(await work()) };
  } catch (error) {
    return { what, name, ...failedWith(error) };
  }
}

function failedWith(error: unknown): Pick<Provisioned, 'result' | 'message' | 'error'> {
  return { result: 'failed', message: inOneLine(error), error: asCausewayError(error) };
}

const added = ({ dryRun }: ApplyOptions): Part => ({ result: dryRun ? 'would-add' : 'added' });

async function addProfile({ name, host, ...others }: ProvisionedProfile, options: ApplyOptions): Promise<Part> {
  const { env, dryRun } = options;
  const origin = parseHost(host).host;
  checkWorkspace(await currentPolicy(), origin);
  const values: Record<string, string | undefined> = { host: origin, ...others };
  const present = sectionValues(await readConfig(configFilePath(env)), name);
  if (present) {
    const other = Object.entries(values).find(
      ([key, value]) => value !== undefined && !isSameValue(key, value, present.get(key)),
    );
    if (!other) return { result: 'unchanged' };
    const [key] = other;
    return { result: 'conflict', message: `Its ${key} is ${present.get(key) ?? 'not set'} here. It was not changed.` };
  }
  const named = Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  const judged = judgeSettings(new Map(named), env);
  // What a profile lacks may be a secret, which its user adds.
  if (!judged.usable && judged.reason !== 'incomplete') throw new CausewayError('profile_unusable', judged.message);
  const edit = (text: string) => withProfile(text, name, values);
  await (dryRun ? checkConfigEdit(env, edit) : editConfig(env, edit));
  return added(options);
}

function isSameValue(key: string, value: string, present: string | undefined): boolean {
  if (present === undefined) return false;
  if (key !== 'host') return present === value;
  try {
    return parseHost(present).host === value;
  } catch {
    // What is there is no address.
    return false;
  }
}

async function knownProfiles(provision: Provision, done: Provisioned[], env: NodeJS.ProcessEnv): Promise<Set<string>> {
  const refused = new Set(
    done.flatMap(({ name, result }) => (result === 'failed' || result === 'conflict' ? [name] : [])),
  );
  const { sections } = await readConfig(configFilePath(env));
  const names = [...sections.map(({ name }) => name), ...provision.profiles.map(({ name }) => name)];
  return new Set(names.filter((name) => !refused.has(name)));
}

async function addServers({ servers }: Provision, profiles: Set<string>, options: ApplyOptions) {
  const outcomes: Provisioned[] = [];
  const list = await openServers(options.env);
  let now: ServerList = list.read();
  for (const { meta, ...rest } of servers) {
    const { kind } = serverAt(rest.path);
    const server: ManagedServer = { ...rest, kind, ...(meta ? { meta } : {}) };
    const add = async (): Promise<Part> => {
      const present = now.servers.find(({ name }) => name === server.name);
      if (present) {
        return isDeepStrictEqual(asProvisioned(present), asProvisioned(server))
          ? { result: 'unchanged' }
          : { result: 'conflict', message: `It is ${present.path} as ${present.profile} here. It was not changed.` };
      }
      if (!profiles.has(server.profile)) {
        return {
          result: 'failed',
          message: `Its profile "${server.profile}" does not exist here or is a different one.`,
        };
      }
      checkServer(await currentPolicy(), server.path);
      now = options.dryRun ? withServer(now, server) : await list.change((before) => withServer(before, server));
      return added(options);
    };
    outcomes.push(await attempt('server', server.name, add));
  }
  return { servers: now, outcomes };
}

/** What a file decides of a server: a title is only shown, and the origin of an app is for each user to confirm. */
function asProvisioned({ confirmed: _confirmed, title: _title, ...server }: ManagedServer): object {
  return server;
}

/** The permissions of each scope are added if there are none, or the same. */
async function addPermissions(wanted: PermissionSet, options: ApplyOptions): Promise<Provisioned[]> {
  const outcomes: Provisioned[] = [];
  if (Object.keys(wanted).length === 0) return outcomes;
  const file = new PermissionsFile(options.env);
  const judge = (name: string, present: unknown, value: unknown): boolean => {
    const isMissing = present === undefined || (typeof present === 'object' && Object.keys(present ?? {}).length === 0);
    const same = isDeepStrictEqual(present, value);
    outcomes.push({
      what: 'permission',
      name,
      ...(same
        ? { result: 'unchanged' as const }
        : isMissing
          ? added(options)
          : {
              result: 'conflict' as const,
              message: 'There are other permissions for it here. They were not changed.',
            }),
    });
    return isMissing && !same;
  };
  const edit = (now: Permissions): Permissions => {
    outcomes.length = 0;
    let after = now;
    if (wanted.all && judge('everything', now.all, wanted.all)) after = { ...after, all: wanted.all };
    for (const [id, client] of Object.entries(wanted.clients ?? {})) {
      if (judge(client.name, ownMember(now.clients, id), client))
        after = { ...after, clients: { ...after.clients, [id]: client } };
    }
    for (const [address, permissions] of Object.entries(wanted.servers ?? {})) {
      const key = keyOfAddress(address) ?? address;
      if (judge(key, ownMember(now.servers, key), permissions))
        after = { ...after, servers: { ...after.servers, [key]: permissions } };
    }
    if (after === now) return now;
    return withChange(after, {
      at: new Date().toISOString(),
      by: 'command',
      what: 'Permissions of a provision file added',
    });
  };
  try {
    if (options.dryRun) {
      await file.refresh();
      if (file.permissions instanceof CausewayError) throw file.permissions;
      edit(file.permissions);
    } else await file.change(edit);
  } catch (error) {
    return [{ what: 'permission', name: 'all permissions', ...failedWith(error) }];
  }
  return outcomes;
}

async function addClient(
  { id, servers: names, allInOne }: Provision['clients'][number],
  list: ServerList,
  { clients, dryRun }: ApplyOptions,
): Promise<Provisioned[]> {
  try {
    const servers = names?.map((name) => findServer(list, name)) ?? list.servers;
    const outcomes = allInOne
      ? await clients.addAll([id], allServers(servers), { dryRun })
      : await clients.add([id], servers, { dryRun });
    return outcomes.map((outcome) => ofClient(id, outcome));
  } catch (error) {
    return [{ what: 'client', name: id, ...failedWith(error) }];
  }
}

function ofClient(id: string, { result, error, file, diff }: ChangeOutcome): Provisioned {
  const base = { what: 'client' as const, name: file === null ? id : `${id} (${file})` };
  if (error?.code === 'not_found' && file === null) return { ...base, result: 'not-installed', message: error.message };
  if (error) return { ...base, ...failedWith(error), ...(error.code === 'already_exists' && { result: 'conflict' }) };
  if (result === 'unchanged') return { ...base, result };
  return { ...base, result: result === 'written' ? 'added' : 'would-add', ...(diff === undefined ? {} : { diff }) };
}
