import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The configuration file through which clients find the workspace, in the Databricks CLI's format. */

export interface ProfileFile {
  path: string;
  /** Removes what was written, unless someone has changed it since. */
  remove(): Promise<void>;
}

export interface ProfileFileContents {
  host: string;
  /** Profile name to personal access token. */
  tokens: Map<string, string>;
  servicePrincipal: { clientId: string; clientSecret: string };
}

/** A profile for each user's token, `oauth` for browser sign-in, `agent` for the service principal. */
export function profileFileText({ host, tokens, servicePrincipal }: ProfileFileContents): string {
  const sections = [...tokens].map(([name, token]) => section(name, { host, token, auth_type: 'pat' }));
  return [
    '; The profiles of an embedded workspace. They work for as long as it runs.',
    section('__settings__', { default_profile: [...tokens.keys()][0] ?? 'oauth' }),
    ...sections,
    section('oauth', { host, auth_type: 'databricks-cli' }),
    section('agent', {
      host,
      client_id: servicePrincipal.clientId,
      client_secret: servicePrincipal.clientSecret,
      auth_type: 'oauth-m2m',
    }),
  ].join('\n');
}

function section(name: string, entries: Record<string, string>): string {
  const lines = Object.entries(entries).map(([key, value]) => `${key} = ${value}\n`);
  return `[${name}]\n${lines.join('')}`;
}

/**
 * Writes the file into `home`, which is made where it is missing, or into its own directory that goes away with it.
 * @throws if `home` has such a file already: it may be a user's own.
 */
export async function writeProfileFile(text: string, home: string | undefined): Promise<ProfileFile> {
  const directory = home ?? (await mkdtemp(join(tmpdir(), 'causeway-workspace-')));
  const path = join(directory, '.databrickscfg');
  await mkdir(directory, { recursive: true });
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  return {
    path,
    remove: async () => {
      if (home === undefined) await rm(directory, { recursive: true, force: true });
      else if ((await readFile(path, 'utf8').catch(() => '')) === text) await rm(path, { force: true });
    },
  };
}

export function newPersonalToken(): string {
  return `dapi${randomBytes(16).toString('hex')}`;
}

export function newClientSecret(): string {
  return `dose${randomBytes(16).toString('hex')}`;
}
