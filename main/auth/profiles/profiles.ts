import { checkWorkspace, type Policy } from '../../permissions/policy/policy.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import { didYouMean, similarNames } from '../../platform/similar-names.ts';
import { inOneLine } from '../../words/failure.ts';
import type { Profile, ProfileEntry } from '../auth.ts';
import { type ConfigDocument, sectionValues } from './config-document.ts';
import { parseHost } from './host.ts';
import { type JudgedSettings, judgeSettings, type ProfileSettings, portNumber } from './profile-settings.ts';
import { credentialVariables, isCredential, valuesIn } from './variables.ts';

/** The section in which Databricks tools keep their own settings; never a profile. */
export const SETTINGS_SECTION = '__settings__';

/** The name of the profile that consists of environment variables only. */
export const ENVIRONMENT_PROFILE = '(environment)';

/** A configuration file's contents and the environment. */
export interface ProfileBook {
  document: ConfigDocument;
  /** For messages. */
  path: string;
  env: NodeJS.ProcessEnv;
  /** Whether a file's only profile is meant where none is named: somebody sees which one it is. */
  takesOnlyProfile?: boolean;
}

/** Every profile of the configuration file, in its order, then the environment's own, with what it means or why it cannot be used. */
export function listProfiles(book: ProfileBook): ProfileEntry[] {
  const byDefault = defaultOf(book);
  const inFile = profileNames(book.document).map((name) =>
    entryOf(name, name === byDefault, sectionValues(book.document, name) ?? new Map(), book.env),
  );
  const values = environmentValues(book);
  if (!values?.has('host') && byDefault !== ENVIRONMENT_PROFILE) return inFile;
  return [...inFile, entryOf(ENVIRONMENT_PROFILE, byDefault === ENVIRONMENT_PROFILE, values ?? new Map(), book.env)];
}

/** The same entries, in which a profile whose workspace the organization does not allow cannot be used. */
export function withPolicy(entries: readonly ProfileEntry[], policy: Policy): ProfileEntry[] {
  return entries.map((entry) => {
    if (!entry.usable) return entry;
    const { name, isDefault, profile } = entry;
    try {
      checkWorkspace(policy, profile.host);
      return entry;
    } catch (error) {
      return { usable: false, name, isDefault, host: profile.host, reason: 'managed', message: inOneLine(error) };
    }
  });
}

function entryOf(
  name: string,
  isDefault: boolean,
  values: ReadonlyMap<string, string>,
  env: NodeJS.ProcessEnv,
): ProfileEntry {
  const judged = judgeSettings(values, env);
  return judged.usable
    ? { usable: true, name, isDefault, profile: asProfile(name, judged.settings) }
    : { ...judged, name, isDefault };
}

/**
 * The profile that is meant, in the order of the Databricks CLI (its `cmd/root/auth.go`, and `config/config_file.go` of its SDK):
 *
 * 1. the one asked for;
 * 2. with `DATABRICKS_CONFIG_PROFILE`, that one, and the credentials of the environment over it;
 * 3. with `DATABRICKS_HOST`, the environment, and nothing of the file. Without credentials there, the file's only profile for that
 *    host, as the CLI takes the sign-in that it has for a host;
 * 4. with `default_profile` in the file's settings, that one, and the credentials of the environment over it;
 * 5. with credentials in the environment, the environment, and nothing of the file;
 * 6. `[DEFAULT]`;
 * 7. where somebody sees which one it is, the file's only profile.
 *
 * Unlike the CLI, it sends no credentials of the file to another host, which `DATABRICKS_HOST` may name beside a profile.
 * @throws {CausewayError} `profile_not_found`, `ambiguous`, `profile_unusable`
 */
export function chooseProfile(book: ProfileBook, requested?: string): string {
  if (requested) return nameInFile(book, requested);
  const base = baseProfile(book);
  const named = base && nameInFile(book, base);
  const { host, hasCredentials } = ownSettings(book.env);
  if (hasCredentials) return ENVIRONMENT_PROFILE;
  if (host) return profileOfHost(book, host, named);
  if (named) return named;
  const names = profileNames(book.document);
  if (names.includes('DEFAULT')) return 'DEFAULT';
  const [first] = names;
  if (first === undefined) {
    throw new CausewayError('profile_not_found', `There is no profile in ${book.path}.`, {
      action: { do: 'add-workspace', profile: undefined },
    });
  }
  if (names.length === 1 && book.takesOnlyProfile) return first;
  const why =
    names.length === 1 ? 'one profile, and it is not the default' : 'several profiles, and none of them is the default';
  throw ambiguous(`${book.path} has ${why}.`, names);
}

function nameInFile({ document, path }: ProfileBook, name: string): string {
  const names = profileNames(document);
  if (name === ENVIRONMENT_PROFILE || names.includes(name)) return name;
  throw new CausewayError('profile_not_found', `There is no profile "${name}" in ${path}.`, {
    ...(names.length > 0
      ? {
          remedy: sentences(didYouMean(similarNames(name, names)), `The file has ${names.join(', ')}.`),
          candidates: names.map((each) => ({ name: each })),
        }
      : { action: { do: 'add-workspace', profile: name } }),
  });
}

function ambiguous(message: string, profiles: string[]): CausewayError {
  return new CausewayError('ambiguous', message, {
    action: { do: 'choose-profile', profiles },
    candidates: profiles.map((name) => ({ name })),
  });
}

/** The profile that the environment's credentials, if there are any, lie over. */
function baseProfile({ document, env }: ProfileBook): string | undefined {
  if (env.DATABRICKS_CONFIG_PROFILE) return env.DATABRICKS_CONFIG_PROFILE;
  return env.DATABRICKS_HOST ? undefined : sectionValues(document, SETTINGS_SECTION)?.get('default_profile');
}

/** The profile for the host that the environment names without credentials. @param named the one that the environment names too */
function profileOfHost(book: ProfileBook, host: string, named: string | undefined): string {
  const names = named === undefined ? profileNames(book.document) : [named];
  const found = names.filter((name) => isSameHost(sectionValues(book.document, name)?.get('host'), host));
  const [first] = found;
  if (found.length > 1)
    throw ambiguous(`${book.path} has several profiles for ${host}. DATABRICKS_HOST names that workspace.`, found);
  if (first !== undefined) return first;
  if (named !== undefined) {
    const message = `DATABRICKS_HOST names ${host}, and profile "${named}" is for another workspace.`;
    const remedy = 'Unset DATABRICKS_HOST or DATABRICKS_CONFIG_PROFILE.';
    throw new CausewayError('profile_unusable', message, { remedy });
  }
  const message = `There are no credentials for ${host}. DATABRICKS_HOST names that workspace.`;
  throw new CausewayError('profile_not_found', message, { action: { do: 'add-workspace', profile: undefined } });
}

function isSameHost(one: string | undefined, other: string): boolean {
  try {
    return one !== undefined && parseHost(one).host === parseHost(other).host;
  } catch {
    return false;
  }
}

/** The current meaning of a profile's keys. @throws {CausewayError} `profile_not_found`, `profile_unusable` */
export function profileSettings(book: ProfileBook, name: string): ProfileSettings {
  const values = name === ENVIRONMENT_PROFILE ? environmentValues(book) : sectionValues(book.document, name);
  if (!values) throw new CausewayError('profile_not_found', `Profile "${name}" is no longer in ${book.path}.`);
  const judged: JudgedSettings = judgeSettings(values, book.env);
  if (judged.usable) {
    const { cliPath, callbackPort } = judged.settings;
    return {
      ...judged.settings,
      cliPath: cliPath ?? (book.env.DATABRICKS_CLI_PATH || undefined),
      callbackPort: callbackPort ?? portNumber(book.env.DATABRICKS_OAUTH_CALLBACK_PORT),
    };
  }
  const isEnvironment = name === ENVIRONMENT_PROFILE;
  if (isEnvironment && judged.reason === 'no_host') {
    const message = `The environment has credentials (${credentialVariables(book.env).join(', ')}), but does not say for which workspace.`;
    const profiles = profileNames(book.document);
    const action = profiles.length > 0 ? ({ do: 'choose-profile', profiles } as const) : undefined;
    throw new CausewayError('profile_unusable', message, { remedy: 'Set DATABRICKS_HOST, or use a profile.', action });
  }
  const where = isEnvironment ? 'The environment' : `Profile "${name}" of ${book.path}`;
  throw new CausewayError('profile_unusable', `${where} cannot be used. ${judged.message}`);
}

export function asProfile(name: string, settings: ProfileSettings): Profile {
  return { name, host: settings.host, method: settings.method, workspaceId: settings.workspaceId };
}

/** The names of the file's profiles: each section except the settings, and `[DEFAULT]` only if it is not empty. */
function profileNames(document: ConfigDocument): string[] {
  const filled = document.sections.filter((section) => section.name !== 'DEFAULT' || section.values.size > 0);
  return [...new Set(filled.map((section) => section.name))].filter((name) => name !== SETTINGS_SECTION);
}

/** What is used where no profile is named; undefined if one must be. */
function defaultOf(book: ProfileBook): string | undefined {
  try {
    return chooseProfile(book);
  } catch {
    return undefined;
  }
}

/** What the environment says of its own. The identity of a machine counts only where a host is named for it. */
function ownSettings(env: NodeJS.ProcessEnv) {
  const values = valuesIn(env);
  const host = values.get('host');
  const identity = host === undefined ? undefined : machineIdentity(values, env);
  if (identity !== undefined) values.set('auth_type', identity);
  const hasKeys = [...values.keys()].some(isCredential);
  const isMachines = host !== undefined && MACHINE_TYPES.has(values.get('auth_type') ?? '');
  return { host, values, hasCredentials: hasKeys || isMachines };
}

/** How a machine proves who it is where nothing else is given, in the order in which Databricks tools look. */
function machineIdentity(values: ReadonlyMap<string, string>, env: NodeJS.ProcessEnv): string | undefined {
  const isGiven = (key: string) => ['auth_type', 'token', 'client_secret'].includes(key) || key.startsWith('azure_');
  if ([...values.keys()].some(isGiven)) return undefined;
  if (env.ACTIONS_ID_TOKEN_REQUEST_URL) return 'github-oidc';
  if (env[values.get('oidc_token_env') ?? 'DATABRICKS_OIDC_TOKEN']) return 'env-oidc';
  return values.has('oidc_token_filepath') ? 'file-oidc' : undefined;
}

/** The environment's own profile, with what it leaves out from the profile that it lies over if that is for the same host. */
function environmentValues(book: ProfileBook): Map<string, string> | undefined {
  const { host, values, hasCredentials } = ownSettings(book.env);
  if (!hasCredentials) return undefined;
  const base = baseProfile(book);
  const below = (base !== undefined && sectionValues(book.document, base)) || new Map<string, string>();
  const isFor = host === undefined || isSameHost(below.get('host'), host);
  return isFor ? new Map([...below, ...values]) : values;
}

/** The ways that need neither a user at this computer nor a secret in these variables. */
const MACHINE_TYPES = new Set(['azure-cli', 'azure-client-secret', 'github-oidc', 'env-oidc', 'file-oidc']);
