import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { jsonIn } from '../../platform/json.ts';
import { homeFolder } from '../../platform/paths.ts';
import { Secret } from '../../platform/secret.ts';
import { type AccessToken, asTime, expiryFrom } from '../access-token.ts';
import type { Profile } from '../auth.ts';
import { unsendableToken } from '../oauth/token-answer.ts';
import { ENVIRONMENT_PROFILE } from '../profiles/profiles.ts';
import { isExecutable, type ProgramOutcome, programCandidates, runExternalProgram, usualFolders } from './program.ts';

export interface CliOptions {
  profile: Profile;
  env: NodeJS.ProcessEnv;
  /** The configuration file in which the profile was found. */
  configFile: string;
  /** Named by the profile (`databricks_cli_path`) or the environment. */
  cliPath: string | undefined;
  now: () => number;
}

const Answer = z.object({
  access_token: z.string().min(1),
  expiry: z.iso.datetime({ offset: true }).optional().catch(undefined),
  expires_in: z.number().positive().optional().catch(undefined),
});

/** The legacy CLI is a small Python script; the present one is a program of many megabytes. */
const SMALL_BYTES = 1024 * 1024;
const CLI_TIMEOUT_MS = 60_000;
/** How long a question may take that can also be answered without it, in milliseconds. */
const QUESTION_TIMEOUT_MS = 20_000;
/** The pauses before it is run again, in milliseconds. It writes its token cache without a lock, and can fail when it runs twice at once. */
const RETRY_PAUSES_MS = [200, 800];
const NEEDS_LOGIN = /not configured|refresh token is invalid|reauthenticate|auth login|no (?:cached )?token/i;
/** Variables that would take precedence over the profile that is named. */
const STRONGER = /^DATABRICKS_(?:HOST|TOKEN|CLIENT_ID|CLIENT_SECRET|USERNAME|PASSWORD|AUTH_TYPE|CONFIG_PROFILE)$/;

/**
 * A token from `databricks auth token`, which renews its own sign-in. Its stores are never read by us.
 * @throws {CausewayError} `cli_unavailable` when it is absent, legacy or fails; `signed_out` when it asks for a login
 */
export async function requestCliToken(options: CliOptions, forceRefresh: boolean): Promise<AccessToken> {
  const { profile, now } = options;
  const program = await findCli(options);
  const plain = ['auth', 'token', '--profile', profile.name, '--output', 'json'];
  let args = forceRefresh ? [...plain, '--force-refresh'] : plain;
  for (let attempt = 0; ; attempt += 1) {
    const issuedAt = now();
    const ran = await run(program, args, options);
    if (ran.ok) return readToken(ran.output, program, issuedAt);
    if (/unknown flag.*force-refresh/i.test(ran.complaint)) {
      args = plain;
      continue;
    }
    if (NEEDS_LOGIN.test(ran.complaint)) {
      throw new CausewayError(
        'signed_out',
        `The Databricks CLI is signed out of ${profile.host} (profile "${profile.name}").`,
        {
          action: { do: 'sign-in', profile: profile.name },
        },
      );
    }
    const pause = RETRY_PAUSES_MS[attempt];
    if (pause === undefined) {
      throw new CausewayError('cli_unavailable', `The Databricks CLI returned no token (${ran.complaint}).`, {
        remedy: `To see why, run: databricks auth token --profile ${profile.name}`,
      });
    }
    await sleep(pause * (0.5 + Math.random()));
  }
}

/** What a command of the Databricks CLI prints as JSON as a profile; undefined if the CLI is not installed, or is the legacy one. */
export async function askCli(
  args: readonly string[],
  options: Omit<CliOptions, 'now'>,
): Promise<ProgramOutcome | undefined> {
  const program = await findCli(options).catch(() => undefined);
  if (program === undefined) return undefined;
  const asJson = [...args, '--output', 'json'];
  const { profile, env } = options;
  if (profile.name !== ENVIRONMENT_PROFILE)
    return run(program, [...asJson, '--profile', profile.name], options, QUESTION_TIMEOUT_MS);
  return runExternalProgram(program, asJson, { env, timeoutMs: QUESTION_TIMEOUT_MS });
}

/**
 * Finds the Databricks CLI, even outside a graphical application's PATH.
 * @throws {CausewayError} `cli_unavailable` when it is absent, or is the legacy one
 */
export async function findCli({ env, cliPath, profile }: Omit<CliOptions, 'now' | 'configFile'>): Promise<string> {
  let legacy: string | undefined;
  for (const candidate of cliPath ? [cliPath] : candidates(env)) {
    if (!(await isExecutable(candidate))) continue;
    if ((await stat(candidate)).size >= SMALL_BYTES || (await isCurrent(candidate, env))) return candidate;
    legacy ??= candidate;
  }
  const next = (install: string) => ({
    remedy: `${install} (https://docs.databricks.com/dev-tools/cli/install.html), or do without it.`,
    action: { do: 'sign-in', profile: profile.name } as const,
  });
  throw legacy
    ? new CausewayError(
        'cli_unavailable',
        `${legacy} is the legacy Databricks CLI. It cannot provide tokens.`,
        next('Install the current one'),
      )
    : new CausewayError(
        'cli_unavailable',
        cliPath
          ? `There is no Databricks CLI at ${cliPath}, and profile "${profile.name}" signs in with it.`
          : `The Databricks CLI that profile "${profile.name}" signs in with is not installed.`,
        next('Install it'),
      );
}

function candidates(env: NodeJS.ProcessEnv): string[] {
  const isWindows = process.platform === 'win32';
  const local = env.LOCALAPPDATA ?? join(homeFolder(env), 'AppData', 'Local');
  const own = isWindows ? [join(local, 'Programs', 'databricks'), local] : [];
  const names = [isWindows ? 'databricks.exe' : 'databricks'];
  return programCandidates({ names, folders: [...usualFolders(env), ...own] }, env);
}

/** A small file may also be a version manager's shim for the present CLI: ask it. */
async function isCurrent(program: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const ran = await runExternalProgram(program, ['--version'], { env, timeoutMs: CLI_TIMEOUT_MS });
  return ran.ok && /^Databricks CLI v/m.test(ran.output.reveal());
}

function run(
  program: string,
  args: string[],
  { env, configFile }: Pick<CliOptions, 'env' | 'configFile'>,
  timeoutMs = CLI_TIMEOUT_MS,
): Promise<ProgramOutcome> {
  const kept = Object.entries(env).filter(([name]) => !STRONGER.test(name));
  const own = { ...Object.fromEntries(kept), DATABRICKS_CONFIG_FILE: configFile };
  return runExternalProgram(program, args, { env: own, timeoutMs });
}

function readToken(output: Secret, program: string, issuedAt: number): AccessToken {
  const answer = Answer.safeParse(jsonIn(output.reveal())).data;
  if (!answer) {
    throw new CausewayError('cli_unavailable', `${program} did not return a token.`, {
      remedy: 'Update the Databricks CLI.',
    });
  }
  const { access_token, expiry, expires_in } = answer;
  const token = new Secret(access_token);
  const unsendable = unsendableToken(token, 'The Databricks CLI');
  if (unsendable) throw unsendable;
  const endsAt = expiry === undefined ? Number.NaN : Date.parse(expiry);
  // Go writes the year 1 for a token that does not say when it expires.
  return { token, issuedAt, expiresAt: endsAt > 0 ? asTime(endsAt) : expiryFrom(issuedAt, expires_in) };
}
