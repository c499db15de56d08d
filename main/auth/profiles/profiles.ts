import { checkWorkspace, type Policy } from '../../permissions/policy/policy.ts';
import { CausewayError } from '../../platform/errors.ts';
import { inOneLine } from '../../words/failure.ts';
import type { Profile, ProfileEntry } from '../auth.ts';
import { type ConfigDocument, sectionValues } from './config-document.ts';
import { type JudgedSettings, judgeSettings, type ProfileSettings, portNumber, VARIABLES } from './profile-settings.ts';

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
}

/** Every profile of the configuration file, in its order, then the environment's own, with what it means or why it cannot be used. */
export function listProfiles(book: ProfileBook): ProfileEntry[] {
  const byDefault = defaultName(book);
  const inFile = profileNames(book.document).map((name) =>
    entryOf(name, name === byDefault, sectionValues(book.document, name) ?? new Map(), book.env),
  );
  const values = environmentValues(book.env);
  return values ? [...inFile, entryOf(ENVIRONMENT_PROFILE, byDefault === undefined, values, book.env)] : inFile;
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
 * The profile that is meant: the one asked for, else `DATABRICKS_CONFIG_PROFILE`, the file's `default_profile`,
 * `[DEFAULT]`, the only profile there is, and last one made of `DATABRICKS_HOST` and its credentials.
 * @throws {CausewayError} `profile_not_found`, `ambiguous`
 */
export function chooseProfile(book: ProfileBook, requested?: string): string {
  const names = profileNames(book.document);
  const asked = requested || book.env.DATABRICKS_CONFIG_PROFILE;
  const name = asked || defaultName(book);
  if (name === ENVIRONMENT_PROFILE) return name;
  if (name !== undefined) {
    if (names.includes(name)) return name;
    throw new CausewayError('profile_not_found', `There is no profile "${name}" in ${book.path}.`, {
      ...(names.length > 0
        ? { remedy: `The file has ${names.join(', ')}.`, candidates: names.map((each) => ({ name: each })) }
        : { action: { do: 'add-workspace', profile: name } }),
    });
  }
  if (environmentValues(book.env)) return ENVIRONMENT_PROFILE;
  if (names.length === 0) {
    throw new CausewayError('profile_not_found', `There is no profile in ${book.path}.`, {
      action: { do: 'add-workspace', profile: undefined },
    });
  }
  throw new CausewayError('ambiguous', `${book.path} has several profiles, and none of them is the default.`, {
    action: { do: 'choose-profile', profiles: names },
    candidates: names.map((each) => ({ name: each })),
  });
}

/** The current meaning of a profile's keys. @throws {CausewayError} `profile_not_found`, `profile_unusable` */
export function profileSettings(book: ProfileBook, name: string): ProfileSettings {
  const values = name === ENVIRONMENT_PROFILE ? environmentValues(book.env) : sectionValues(book.document, name);
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
  const where = name === ENVIRONMENT_PROFILE ? 'The environment' : `Profile "${name}" of ${book.path}`;
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

function defaultName({ document }: ProfileBook): string | undefined {
  const chosen = sectionValues(document, SETTINGS_SECTION)?.get('default_profile');
  if (chosen) return chosen;
  if (sectionValues(document, 'DEFAULT')?.get('host')) return 'DEFAULT';
  const names = profileNames(document);
  return names.length === 1 ? names[0] : undefined;
}

/** The environment's own profile, if it names a host and a way to get credentials for it. */
function environmentValues(env: NodeJS.ProcessEnv): Map<string, string> | undefined {
  const values = new Map<string, string>();
  for (const [key, variable] of Object.entries(VARIABLES)) {
    const value = env[variable];
    if (value) values.set(key, value);
  }
  // If nothing else is given, Databricks tools use the identity of the machine.
  const isOfMachine = ![...values.keys()].some((key) => CREDENTIAL_KEY.test(key));
  const type = isOfMachine ? machineType(env, values) : undefined;
  if (type !== undefined) values.set('auth_type', type);
  const hasCredentials =
    CREDENTIALS.some((keys) => keys.every((key) => values.has(key))) ||
    CREDENTIAL_TYPES.has(values.get('auth_type') ?? '');
  return values.has('host') && hasCredentials ? values : undefined;
}

/** The kind of the machine's own identity that there is, the first of these. */
function machineType(env: NodeJS.ProcessEnv, values: ReadonlyMap<string, string>): string | undefined {
  if (env.ACTIONS_ID_TOKEN_REQUEST_URL) return 'github-oidc';
  if (env[values.get('oidc_token_env') ?? 'DATABRICKS_OIDC_TOKEN']) return 'env-oidc';
  return values.has('oidc_token_filepath') ? 'file-oidc' : undefined;
}

/** A key that says who signs in. */
const CREDENTIAL_KEY = /^(auth_type|token|client_secret|azure_.*)$/;
/** The keys that are enough, each together. */
const CREDENTIALS = [['token'], ['client_id', 'client_secret'], ['azure_client_id', 'azure_client_secret']];

/** The ways that need neither a user at this computer nor a secret in these variables. */
const CREDENTIAL_TYPES = new Set(['azure-cli', 'azure-client-secret', 'github-oidc', 'env-oidc', 'file-oidc']);
