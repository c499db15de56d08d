import { Secret } from '../../platform/secret.ts';
import { inOneLine } from '../../words/failure.ts';
import { isHeaderValue } from '../access-token.ts';
import { AUTH_TYPES, type AuthMethod, type UnusableReason } from '../auth.ts';
import { azureCloudOf } from '../sources/azure-cloud.ts';
import { isAccountHost, parseHost, type WorkspaceAddress } from './host.ts';
import { VARIABLES } from './variables.ts';

/** The meaning of a profile's keys, with secrets wrapped. It stays inside `main/auth/`. */
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
  azure: AzureSettings;
  federation: FederationSettings;
}

/** Settings for Microsoft Entra ID. */
export interface AzureSettings {
  tenantId: string | undefined;
  clientId: string | undefined;
  clientSecret: Secret | undefined;
  /** The workspace's id in Azure Resource Manager: `/subscriptions/…`. */
  resourceId: string | undefined;
}

/** Where an ID token comes from, and its audience. */
export interface FederationSettings {
  audience: string | undefined;
  /** The environment variable that holds it. */
  tokenVariable: string;
  tokenFile: string | undefined;
}

/** The meaning of a profile's keys, or why they cannot be used. */
export type JudgedSettings =
  | { usable: true; settings: ProfileSettings }
  | { usable: false; host: string | undefined; reason: UnusableReason; message: string };

type Key = keyof typeof VARIABLES;

/** Two of the vendor's SDKs call some keys differently. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  oidc_token_filepath: 'databricks_id_token_filepath',
  token_audience: 'audience',
};

/** The keys of each way to sign in. Two ways at once without `auth_type` are an error in every Databricks tool. */
const METHOD_KEYS: Record<string, readonly string[]> = {
  pat: ['token'],
  basic: ['username', 'password'],
  oauth: ['client_id', 'client_secret'],
  'env-oidc': ['oidc_token_env'],
  'file-oidc': ['oidc_token_filepath'],
  azure: ['azure_client_id', 'azure_client_secret', 'azure_tenant_id', 'azure_workspace_resource_id', 'azure_use_msi'],
  google: ['google_service_account', 'google_credentials'],
};

interface Needs {
  /** The required keys. */
  needed?: readonly Key[];
  /** Keys that the environment may hold instead of the profile: on servers, secrets and ids are often there. */
  orFromEnvironment?: readonly Key[];
}

const AZURE_KEYS: readonly Key[] = [
  'azure_tenant_id',
  'azure_client_id',
  'azure_client_secret',
  'azure_workspace_resource_id',
];
const FEDERATION_KEYS: readonly Key[] = ['client_id', 'account_id', 'token_audience'];

const NEEDS: Record<AuthMethod, Needs> = {
  pat: { needed: ['token'] },
  'oauth-m2m': { needed: ['client_id', 'client_secret'] },
  'databricks-cli': {},
  'oauth-user': {},
  'azure-cli': { orFromEnvironment: ['azure_tenant_id', 'azure_workspace_resource_id'] },
  'azure-client-secret': {
    needed: ['azure_tenant_id', 'azure_client_id', 'azure_client_secret'],
    orFromEnvironment: AZURE_KEYS,
  },
  'github-oidc': { orFromEnvironment: FEDERATION_KEYS },
  'env-oidc': { orFromEnvironment: [...FEDERATION_KEYS, 'oidc_token_env'] },
  'file-oidc': { needed: ['oidc_token_filepath'], orFromEnvironment: [...FEDERATION_KEYS, 'oidc_token_filepath'] },
};

const DEFAULT_TOKEN_VARIABLE = 'DATABRICKS_OIDC_TOKEN';

/**
 * Decides from a profile's keys which workspace it means and how it signs in, or why it cannot be used. The kind is what
 * the profile says, never what else is in the environment; that only gives what the kind needs and the profile leaves out.
 */
export function judgeSettings(values: ReadonlyMap<string, string>, env: NodeJS.ProcessEnv = {}): JudgedSettings {
  const named = (key: string) => values.get(key) || values.get(OTHER_NAMES[key] ?? '') || undefined;
  const refuse = (reason: UnusableReason, message: string, host?: string): JudgedSettings => ({
    usable: false,
    host,
    reason,
    message,
  });

  const text = named('host');
  if (!text)
    return refuse(
      'no_host',
      'It has no host. Set host to the address of the workspace, such as https://acme.cloud.databricks.com.',
    );
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

  const method = chooseMethod(named);
  if (typeof method !== 'string') return refuse(method.reason, method.message, host);
  const { needed = [], orFromEnvironment = [] } = NEEDS[method];
  const get = (key: string) => {
    const known = orFromEnvironment.find((each) => each === key);
    return named(key) ?? ((known && env[VARIABLES[known]]) || undefined);
  };
  const missing = needed.filter((key) => !get(key));
  if (missing.length > 0) {
    const variables = missing.filter((key) => orFromEnvironment.includes(key)).map((key) => VARIABLES[key]);
    const others = variables.length === 0 ? '' : ` Add it to the profile, or set ${variables.join(' and ')}.`;
    return refuse(
      'incomplete',
      `It has no ${missing.join(' and no ')}. ${method} needs ${missing.length > 1 ? 'them' : 'it'}.${others}`,
      host,
    );
  }

  const settings = settingsIn(get, { ...address, method, workspaceId: named('workspace_id') ?? address.workspaceId });
  const problem = problemWithHeaders(settings) ?? problemWithAzure(settings);
  return problem ? refuse(problem.reason, problem.message, host) : { usable: true, settings };
}

function settingsIn(
  get: (key: string) => string | undefined,
  { host, method, workspaceId, accountId }: WorkspaceAddress & { method: AuthMethod },
): ProfileSettings {
  return {
    host,
    method,
    workspaceId,
    accountId: get('account_id') ?? accountId,
    token: secret(get('token')),
    clientId: get('client_id'),
    clientSecret: secret(get('client_secret')),
    scopes: get('scopes')
      ?.split(/[\s,]+/)
      .filter(Boolean),
    callbackPort: portNumber(get('oauth_callback_port')),
    cliPath: get('databricks_cli_path'),
    azure: {
      tenantId: get('azure_tenant_id'),
      clientId: get('azure_client_id'),
      clientSecret: secret(get('azure_client_secret')),
      resourceId: get('azure_workspace_resource_id'),
    },
    federation: {
      audience: get('token_audience'),
      tokenVariable: get('oidc_token_env') ?? DEFAULT_TOKEN_VARIABLE,
      tokenFile: get('oidc_token_filepath'),
    },
  };
}

/** A TCP port from its text; undefined for anything else. */
export function portNumber(text: string | undefined): number | undefined {
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

type Refused = { reason: UnusableReason; message: string };

function chooseMethod(get: (key: string) => string | undefined): AuthMethod | Refused {
  const named = get('auth_type');
  if (named) return (Object.hasOwn(AUTH_TYPES, named) ? AUTH_TYPES[named] : undefined) ?? unsupported(named);
  const present = Object.keys(METHOD_KEYS).filter((name) => METHOD_KEYS[name]?.some((key) => get(key)));
  if (present.length > 1) {
    return {
      reason: 'several_methods',
      message: `It has more than one authorization method (${present.join(' and ')}). Remove one, or choose with auth_type.`,
    };
  }
  return methodOf(present[0], get);
}

/** The way to sign in that one kind of keys means. */
function methodOf(kind: string | undefined, get: (key: string) => string | undefined): AuthMethod | Refused {
  switch (kind) {
    case undefined:
      return 'oauth-user';
    case 'pat':
    case 'env-oidc':
    case 'file-oidc':
      return kind;
    case 'oauth':
      // A client id without a secret names a public OAuth application that users sign in through.
      return get('client_secret') ? 'oauth-m2m' : 'oauth-user';
    case 'azure':
      if (/^(true|1)$/i.test(get('azure_use_msi') ?? '')) return unsupported('azure-msi');
      return get('azure_client_id') || get('azure_client_secret') ? 'azure-client-secret' : 'azure-cli';
    default:
      return unsupported(`${kind} credentials`);
  }
}

function unsupported(name: string): Refused {
  return {
    reason: 'unsupported_method',
    message: `Causeway cannot sign in by ${name}. It supports ${Object.keys(AUTH_TYPES).join(', ')}.`,
  };
}

/** Values that are sent in a header must be valid there. An invisible space, for example, may have been copied along. */
function problemWithHeaders({ method, token, workspaceId }: ProfileSettings): Refused | undefined {
  const values = { token: method === 'pat' ? token?.reveal() : undefined, workspace_id: workspaceId };
  const [name] = Object.entries(values).find(([, value]) => value && !isHeaderValue(value)) ?? [];
  return name === undefined
    ? undefined
    : {
        reason: 'invalid_value',
        message: `Its ${name} contains an invalid character, perhaps an invisible one. Copy it again.`,
      };
}

/** Both go into addresses and command lines, so nothing else may be in them. */
const TENANT = /^[a-z0-9][a-z0-9.-]*$/i;
/** Azure Resource Manager › resource id of a workspace. */
const RESOURCE =
  /^\/subscriptions\/[a-z0-9-]+\/resourceGroups\/[!-.0-~]+\/providers\/[!-.0-~]+\/workspaces\/[!-.0-~]+$/i;

function problemWithAzure({ host, method, azure }: ProfileSettings): Refused | undefined {
  if (method !== 'azure-cli' && method !== 'azure-client-secret') return undefined;
  const { tenantId, resourceId } = azure;
  if (tenantId !== undefined && !TENANT.test(tenantId)) {
    return {
      reason: 'invalid_value',
      message: 'Its azure_tenant_id is not a tenant id. Use the tenantId that `az account show` prints.',
    };
  }
  if (resourceId !== undefined && !RESOURCE.test(resourceId)) {
    return {
      reason: 'invalid_value',
      message:
        'Its azure_workspace_resource_id is not valid. Use the form /subscriptions/ID/resourceGroups/NAME/providers/Microsoft.Databricks/workspaces/NAME.',
    };
  }
  if (azureCloudOf(host)) return undefined;
  return {
    reason: 'not_azure',
    message: `It signs in by ${method}, but ${host} is not an Azure workspace. Entra tokens are sent only to Azure workspaces. Use its address on azuredatabricks.net, databricks.azure.us or databricks.azure.cn.`,
  };
}

function secret(text: string | undefined): Secret | undefined {
  return text === undefined ? undefined : new Secret(text);
}
