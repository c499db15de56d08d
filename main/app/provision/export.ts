import { sectionValues } from '../../auth/profiles/config-document.ts';
import { readConfig } from '../../auth/profiles/config-file.ts';
import { parseHost } from '../../auth/profiles/host.ts';
import { SETTINGS_SECTION } from '../../auth/profiles/profiles.ts';
import { openServers } from '../../clients/servers.ts';
import type { ClientsService } from '../../clients/service.ts';
import { type ClientReport, THERE } from '../../clients/survey.ts';
import { readPermissions } from '../../permissions/change.ts';
import { PermissionsFile } from '../../permissions/permissions-file.ts';
import { configFilePath } from '../../platform/paths.ts';
import { PROFILE_KEYS, type Provision, type ProvisionedProfile } from './provision-file.ts';

/** What of this computer another one can be given, and what was left out because it is secret. */
export interface Exported {
  provision: Provision;
  /** The names of the profiles that hold secrets or other keys that are not exported, with those keys. */
  leftOut: { profile: string; keys: string[] }[];
}

/** @throws {CausewayError} `invalid_file` if one of the files cannot be read */
export async function exportProvision(env: NodeJS.ProcessEnv, clients: ClientsService): Promise<Exported> {
  const { profiles, leftOut } = await exportedProfiles(env);
  const { servers } = (await openServers(env)).read();
  const { version: _, history: _history, ...rules } = await readPermissions(new PermissionsFile(env));
  const reports = await clients.survey(servers);
  return {
    provision: {
      version: 1,
      profiles,
      // The origin of an app is for each user to confirm.
      servers: servers.map(({ confirmed: _confirmed, ...server }) => server),
      rules,
      clients: reports.flatMap((report) => exportedClient(report) ?? []),
    },
    leftOut,
  };
}

async function exportedProfiles(env: NodeJS.ProcessEnv) {
  const document = await readConfig(configFilePath(env));
  const names = [...new Set(document.sections.map(({ name }) => name))].filter((name) => name !== SETTINGS_SECTION);
  const profiles: ProvisionedProfile[] = [];
  const leftOut: Exported['leftOut'] = [];
  for (const name of names) {
    const values = sectionValues(document, name) ?? new Map<string, string>();
    const address = addressOf(values.get('host'));
    if (!address) continue;
    const isPlain = (key: string) => PROFILE_KEYS.some((plain) => plain === key);
    const plain = [...values].filter(([key, value]) => isPlain(key) && value !== '');
    // The address alone: what is written before it or behind it may be secret.
    profiles.push({ ...address, ...Object.fromEntries(plain), name, host: address.host });
    const keys = [...values.keys()].filter((key) => !isPlain(key));
    if (keys.length > 0) leftOut.push({ profile: name, keys });
  }
  return { profiles, leftOut };
}

/** What a profile's host says, as the keys of a profile; undefined if it is not an address. */
function addressOf(host = ''): Omit<ProvisionedProfile, 'name'> | undefined {
  try {
    const { host: origin, workspaceId, accountId } = parseHost(host);
    return {
      host: origin,
      ...(workspaceId !== undefined && { workspace_id: workspaceId }),
      ...(accountId !== undefined && { account_id: accountId }),
    };
  } catch {
    return undefined;
  }
}

function exportedClient({ id, files }: ClientReport): Provision['clients'][number] | undefined {
  const own = files.filter(({ project }) => project === null);
  const names = own.flatMap(({ entries }) =>
    Object.entries(entries).flatMap(([name, state]) => (THERE.includes(state) ? [name] : [])),
  );
  const all = own.flatMap((file) => file.all);
  if (names.some((name) => all.includes(name))) return { id, allInOne: true };
  const servers = [...new Set(names)];
  return servers.length === 0 ? undefined : { id, servers, allInOne: false };
}
