import { join } from 'node:path';
import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { Secret } from '../../platform/secret.ts';
import { type AccessToken, asTime, expiryFrom } from '../access-token.ts';
import type { Profile } from '../auth.ts';
import type { HostFetch } from '../host-fetch.ts';
import { isTemporary, type OAuthRefusal, serviceUnavailable } from '../oauth/oauth-failure.ts';
import { unsendableToken } from '../oauth/token-answer.ts';
import type { AzureSettings } from '../profiles/profile-settings.ts';
import { azureCloudOf, azureTokenBeside, DATABRICKS_RESOURCE, expiryAtAzure } from './azure-cloud.ts';
import {
  environmentFor,
  isExecutable,
  type ProgramOutcome,
  programCandidates,
  runExternalProgram,
  usualFolders,
} from './program.ts';
import { requestToken } from './token-request.ts';

export interface AzureCliOptions {
  profile: Profile;
  azure: AzureSettings;
  env: NodeJS.ProcessEnv;
  /** Sends requests to the workspace. */
  fetch: HostFetch;
  now: () => number;
  /** How long one call of `az` may take, in milliseconds. */
  timeoutMs?: number;
}

const Account = z.object({
  user: z.object({ name: z.string().optional(), type: z.string().optional() }).optional(),
});

const Answer = z.object({
  accessToken: z
    .string()
    .min(1)
    .transform((text) => new Secret(text)),
  /** Seconds since 1970; older releases only give the local time. */
  expires_on: z.coerce.number().positive().optional().catch(undefined),
  /** `YYYY-MM-DD hh:mm:ss.ffffff` in local time. */
  expiresOn: z.string().optional().catch(undefined),
});

/** `az` starts Python and asks Entra ID. */
const AZ_TIMEOUT_MS = 25_000;
/** How long the workspace is asked for its tenant, in milliseconds. */
const TENANT_TIMEOUT_MS = 5_000;
const INSTALL = 'https://learn.microsoft.com/cli/azure/install-azure-cli';

/**
 * A token of the user who is signed in to the Azure CLI (`az account get-access-token`), which renews its own sign-in. Where the
 * CLI also gives a token for the management of Azure, that goes out beside it, as Azure Databricks wants it.
 * @param rejected the token that the workspace has just refused
 * @throws {CausewayError} `cli_unavailable` when it is absent or fails, `signed_out` when it asks for `az login`, `timeout`,
 * `sign_in_failed` when it is signed in to another tenant, `unauthenticated` when it knows no other token than the refused one
 */
export async function requestAzureCliToken(
  options: AzureCliOptions,
  rejected: Secret | undefined,
): Promise<AccessToken> {
  const { profile, azure, env, now, timeoutMs = AZ_TIMEOUT_MS } = options;
  const program = await findAz(env, profile);
  const tenant = azure.tenantId ?? (await tenantOf(options));
  const run = (...args: string[]) =>
    runExternalProgram(program, [...args, '--output', 'json'], {
      env: { ...environmentFor(program, env), AZURE_CORE_ONLY_SHOW_ERRORS: 'true' },
      timeoutMs,
    });
  const shown = await run('account', 'show');
  if (!shown.ok) throw failure(shown, profile, tenant);
  const attempts = attemptsFor(read(Account, shown.output), azure, tenant);
  const ask = async (resource: string): Promise<ProgramOutcome> => {
    let ran: ProgramOutcome | undefined;
    for (const args of attempts) {
      ran = await run('account', 'get-access-token', '--resource', resource, ...args);
      if (ran.ok || ran.reason !== 'failed') return ran;
    }
    return ran ?? { ok: false, reason: 'failed', complaint: 'it was not started' };
  };

  const issuedAt = now();
  const cloud = azureCloudOf(profile.host);
  const [given, management] = await Promise.all([ask(DATABRICKS_RESOURCE), cloud ? ask(cloud.management) : undefined]);
  if (!given.ok) throw failure(given, profile, tenant);
  const { accessToken, ...times } = read(Answer, given.output);
  if (accessToken.equals(rejected)) throw refusedByWorkspace(profile, tenant);
  const unsendable = unsendableToken(accessToken, 'The Azure CLI');
  if (unsendable) throw unsendable;
  const beside = management?.ok ? read(Answer, management.output) : undefined;
  const ends = [expiryOf(times), beside && expiryOf(beside)].filter((end) => end !== undefined);
  return {
    token: azureTokenBeside(accessToken, beside?.accessToken, azure.resourceId),
    issuedAt,
    expiresAt: ends.length === 0 ? undefined : expiryAtAzure(Math.min(...ends)),
  };
}

/** The arguments to try until the CLI returns a token. Each of these fails for some users who could get one. */
function attemptsFor({ user }: z.output<typeof Account>, azure: AzureSettings, tenant: string | undefined): string[][] {
  const isPrincipal = user?.type === 'servicePrincipal';
  if (isPrincipal && /^(system|user)AssignedIdentity$/.test(user.name ?? '')) return [[]];
  return [...preferred(azure, tenant), ...(isPrincipal || !tenant ? [[]] : [])];
}

/** The subscription helps only if the tenant is not known, and only users who may see it. */
function preferred({ resourceId }: AzureSettings, tenant: string | undefined): string[][] {
  if (tenant !== undefined) return [['--tenant', tenant]];
  const subscription = resourceId?.split('/')[2];
  return subscription === undefined ? [] : [['--subscription', subscription]];
}

async function findAz(env: NodeJS.ProcessEnv, { name }: Profile): Promise<string> {
  const isWindows = process.platform === 'win32';
  const programs = [env.ProgramFiles, env['ProgramFiles(x86)'], 'C:\\Program Files', 'C:\\Program Files (x86)'];
  const own = programs.flatMap((folder) => (folder ? [join(folder, 'Microsoft SDKs', 'Azure', 'CLI2', 'wbin')] : []));
  const places = {
    names: isWindows ? ['az.cmd', 'az.exe'] : ['az'],
    folders: [...usualFolders(env), ...(isWindows ? own : ['/opt/local/bin', '/snap/bin'])],
  };
  for (const candidate of programCandidates(places, env)) if (await isExecutable(candidate)) return candidate;
  throw new CausewayError('cli_unavailable', `The Azure CLI that profile "${name}" signs in with is not installed.`, {
    remedy: `Install it (${INSTALL}), then run: az login.`,
  });
}

/** The tenant of the workspace, which it reports to anyone who signs in; undefined if it does not. */
async function tenantOf({ profile, fetch }: AzureCliOptions): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(TENANT_TIMEOUT_MS);
    const response = await fetch(`${profile.host}/aad/auth`, { signal, takesRedirect: true });
    const location = response.headers.get('location') ?? '';
    const [, tenant] = URL.canParse(location) ? new URL(location).pathname.split('/') : [];
    return tenant && /^[a-z0-9][a-z0-9.-]*$/i.test(tenant) && tenant !== 'common' ? tenant : undefined;
  } catch {
    // The CLI's own tenant may be the right one. If the workspace cannot be reached, the request itself will say so.
    return undefined;
  }
}

const OTHER_TENANT = /AADSTS(?:50020|50034|90072|90002|500011|700016|16000\d)\b|tenant .*not found|different tenant/i;
const NEEDS_LOGIN =
  /az login|no subscription|not logged in|AADSTS(?:50\d{3}|65001|70043|700082|700084|53003)\b|interaction.?required|interactive authentication|refresh token has expired/i;

function failure(
  { reason, complaint }: Extract<ProgramOutcome, { ok: false }>,
  { name, host }: Profile,
  tenant: string | undefined,
): CausewayError {
  const login = `az login${tenant === undefined ? '' : ` --tenant ${tenant}`}`;
  const detail = withoutTraceIds(complaint);
  if (reason === 'timeout') {
    return new CausewayError('timeout', `The Azure CLI returned ${detail} (profile "${name}").`, {
      remedy: `To see what it waits for, run: az account get-access-token --resource ${DATABRICKS_RESOURCE}.`,
    });
  }
  if (OTHER_TENANT.test(complaint)) {
    return new CausewayError(
      'sign_in_failed',
      `The Azure CLI is not signed in to the tenant${tenant === undefined ? '' : ` ${tenant}`} of ${host} (${detail}).`,
      {
        remedy: `Run: ${login}. If the workspace is in another tenant, set azure_tenant_id in profile "${name}".`,
      },
    );
  }
  if (NEEDS_LOGIN.test(complaint)) {
    return new CausewayError('signed_out', `The Azure CLI is signed out (profile "${name}": ${detail}).`, {
      remedy: `Run: ${login}.`,
    });
  }
  return new CausewayError('cli_unavailable', `The Azure CLI returned no token (${detail}).`, {
    remedy: `To see why, run: az account get-access-token --resource ${DATABRICKS_RESOURCE}.`,
  });
}

function refusedByWorkspace({ name, host }: Profile, tenant: string | undefined): CausewayError {
  return new CausewayError(
    'unauthenticated',
    `${host} refuses the token that the Azure CLI returns for profile "${name}".`,
    {
      remedy: `Run \`az account show\` to see who is signed in. Sign in as a user of the workspace with: az login${tenant === undefined ? '' : ` --tenant ${tenant}`}.`,
    },
  );
}

function expiryOf({ expires_on, expiresOn }: Pick<z.output<typeof Answer>, 'expires_on' | 'expiresOn'>) {
  return asTime(expires_on === undefined ? Date.parse((expiresOn ?? '').replace(' ', 'T')) : expires_on * 1000);
}

/** @throws {CausewayError} without the text, which may hold a token */
function read<T>(schema: z.ZodType<T>, output: Secret): T {
  try {
    return schema.parse(JSON.parse(output.reveal()));
  } catch {
    throw new CausewayError('cli_unavailable', 'The Azure CLI returned an unexpected response.', {
      remedy: 'Update it with: az upgrade.',
    });
  }
}

export interface EntraOptions {
  profile: Profile;
  azure: AzureSettings;
  /** Returns a function that sends requests to an origin. */
  to: (origin: string) => HostFetch;
  now: () => number;
}

/**
 * A token of an Entra ID service principal, with one for the management of Azure beside it.
 * @throws {CausewayError} `sign_in_failed` when Entra ID refuses it, `unavailable`, and what the fetch throws
 */
export async function requestEntraToken({ profile, azure, to, now }: EntraOptions): Promise<AccessToken> {
  const { tenantId, clientId, clientSecret, resourceId } = azure;
  const cloud = azureCloudOf(profile.host);
  if (!tenantId || !clientId || !clientSecret || !cloud) {
    throw new CausewayError('profile_unusable', `Profile "${profile.name}" is no longer an Azure service principal.`);
  }
  const issuedAt = now();
  const ask = async (resource: string) => {
    const form = {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret.reveal(),
      resource,
    };
    const url = `${cloud.entra}/${tenantId}/oauth2/token`;
    const answer = await requestToken(to(cloud.entra), url, form, [clientSecret]);
    if ('refusal' in answer) throw entraFailure(answer.refusal, { profile, azure, entra: cloud.entra });
    const { accessToken, expiresIn } = answer.granted;
    return { token: accessToken, endsAt: expiryFrom(issuedAt, expiresIn) };
  };
  const [given, management] = await Promise.all([ask(DATABRICKS_RESOURCE), ask(cloud.management)]);
  const ends = [given.endsAt, management.endsAt].filter((end) => end !== undefined);
  return {
    token: azureTokenBeside(given.token, management.token, resourceId),
    issuedAt,
    expiresAt: ends.length === 0 ? undefined : expiryAtAzure(Math.min(...ends)),
  };
}

/** Entra ID's message without the ids with which Microsoft can find the request. */
function withoutTraceIds(text: string): string {
  return text.replace(/\.?\s*(?:Trace|Correlation) ID:.*$/is, '').trim();
}

/** By the number in `AADSTS…` (Microsoft Entra ID › authentication and authorization error codes). */
const REMEDIES: readonly [codes: string, remedy: (azure: AzureSettings) => string][] = [
  ['7000215', () => 'Its client secret is wrong. Set azure_client_secret to the value of the secret, not its id.'],
  [
    '7000222',
    () => 'Its client secret has expired. Create a new one for the application and put it into azure_client_secret.',
  ],
  [
    '700016',
    ({ clientId, tenantId }) =>
      `There is no application ${clientId} in the tenant ${tenantId}. Check azure_client_id and azure_tenant_id.`,
  ],
  ['90002|900023|50034', ({ tenantId }) => `There is no tenant ${tenantId}. Check azure_tenant_id.`],
  [
    '500011',
    ({ tenantId }) =>
      `The tenant ${tenantId} does not have Azure Databricks. Set azure_tenant_id to the tenant of the workspace.`,
  ],
];

/** Entra ID's refusal of a service principal, as a `CausewayError`. */
function entraFailure(
  refusal: OAuthRefusal,
  { profile, azure, entra }: { profile: Profile; azure: AzureSettings; entra: string },
): CausewayError {
  const { host } = new URL(entra);
  if (isTemporary(refusal)) return serviceUnavailable(host, refusal);
  const detail = withoutTraceIds(refusal.description) || refusal.error || `HTTP ${refusal.status}`;
  const [, known] = REMEDIES.find(([codes]) => new RegExp(`AADSTS(?:${codes})\\b`).test(refusal.description)) ?? [];
  return new CausewayError(
    'sign_in_failed',
    `Microsoft Entra ID (${host}) refused the application of profile "${profile.name}" (${detail}).`,
    {
      remedy:
        known?.(azure) ??
        'Check azure_tenant_id, azure_client_id and azure_client_secret, or ARM_TENANT_ID, ARM_CLIENT_ID and ARM_CLIENT_SECRET.',
    },
  );
}
