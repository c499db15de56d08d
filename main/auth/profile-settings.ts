import { inOneLine } from '../platform/errors.ts';
import { Secret } from '../platform/secret.ts';
import type { AuthMethod, UnusableReason } from './auth.ts';
import { isAccountHost, parseHost, type WorkspaceAddress } from './host.ts';

/** Everything that a profile's keys say, secrets wrapped; stays inside `main/auth/`. */
export interface ProfileSettings {
  host: string;
  method: AuthMethod;
  workspaceId: string | undefined;
  accountId: string | undefined;
  token: Secret | undefined;
  clientId: string | undefined;
  clientSecret: Secret | undefined;
  scopes: string[] | undefined;
  callbackPort: number | undefined;
  cliPath: string | undefined;
}

/** A profile's keys, judged: what they mean, or why they cannot be used. */
export type JudgedSettings =
  | { usable: true; settings: ProfileSettings }
  | { usable: false; host: string | undefined; reason: UnusableReason; message: string };

/** Which keys belong to which way of signing in; two ways at once without `auth_type` is an error in every Databricks tool. */
const METHOD_KEYS: Record<string, readonly string[]> = {
  pat: ['token'],
  basic: ['username', 'password'],
  oauth: ['client_id', 'client_secret'],
  azure: ['azure_client_id', 'azure_client_secret', 'azure_tenant_id', 'azure_workspace_resource_id', 'azure_use_msi'],
  google: ['google_service_account', 'google_credentials'],
};

const AUTH_TYPES: Record<string, AuthMethod> = {
  pat: 'pat',
  'oauth-m2m': 'oauth-m2m',
  'databricks-cli': 'databricks-cli',
  'external-browser': 'oauth-user',
};

const NEEDED: Partial<Record<AuthMethod, readonly string[]>> = {
  pat: ['token'],
  'oauth-m2m': ['client_id', 'client_secret'],
};

/** Decides from a profile's keys which workspace it means and how it signs in, or why it cannot be used. */
export function judgeSettings(values: ReadonlyMap<string, string>): JudgedSettings {
  const get = (key: string) => values.get(key) || undefined;
  const refuse = (reason: UnusableReason, message: string, host?: string): JudgedSettings => ({
    usable: false,
    host,
    reason,
    message,
  });

  const text = get('host');
  if (!text) return refuse('no_host', 'It has no host. Add host = https://… with the address of the workspace.');
  let address: WorkspaceAddress;
  try {
    address = parseHost(text);
  } catch (error) {
    return refuse('bad_host', inOneLine(error));
  }
  const { host } = address;
  if (isAccountHost(host)) {
    return refuse(
      'account_host',
      'Its host is an account host, not a workspace. Use the address of a workspace.',
      host,
    );
  }

  const method = chooseMethod(get);
  if (typeof method !== 'string') return refuse(method.reason, method.message, host);
  const missing = (NEEDED[method] ?? []).filter((key) => !get(key));
  if (missing.length > 0) {
    return refuse('incomplete', `It has no ${missing.join(' and no ')}, which ${method} needs.`, host);
  }

  return {
    usable: true,
    settings: {
      host,
      method,
      workspaceId: get('workspace_id') ?? address.workspaceId,
      accountId: get('account_id') ?? address.accountId,
      token: secret(get('token')),
      clientId: get('client_id'),
      clientSecret: secret(get('client_secret')),
      scopes: get('scopes')
        ?.split(/[\s,]+/)
        .filter(Boolean),
      callbackPort: portNumber(get('oauth_callback_port')),
      cliPath: get('databricks_cli_path'),
    },
  };
}

/** A TCP port as it is written down; undefined for anything else. */
export function portNumber(text: string | undefined): number | undefined {
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

function chooseMethod(
  get: (key: string) => string | undefined,
): AuthMethod | { reason: UnusableReason; message: string } {
  const named = get('auth_type');
  if (named) {
    return (
      AUTH_TYPES[named] ?? {
        reason: 'unsupported_method',
        message: `It signs in by ${named}, which Causeway cannot do. It can do ${Object.keys(AUTH_TYPES).join(', ')}.`,
      }
    );
  }
  const present = Object.keys(METHOD_KEYS).filter((name) => METHOD_KEYS[name]?.some((key) => get(key)));
  if (present.length > 1) {
    return {
      reason: 'several_methods',
      message: `It has more than one authorization method (${present.join(' and ')}). Remove one, or choose with auth_type.`,
    };
  }
  const [only] = present;
  if (only === undefined) return 'oauth-user';
  if (only === 'pat') return 'pat';
  // A client id without a secret names a public OAuth application that people sign in through.
  if (only === 'oauth') return get('client_secret') ? 'oauth-m2m' : 'oauth-user';
  return {
    reason: 'unsupported_method',
    message: `It signs in by ${only} credentials, which Causeway cannot do. It can do ${Object.keys(AUTH_TYPES).join(', ')}.`,
  };
}

function secret(text: string | undefined): Secret | undefined {
  return text === undefined ? undefined : new Secret(text);
}
