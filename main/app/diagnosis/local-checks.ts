import type { AuthService } from '../../auth/open.ts';
import { type ClientReport, MODIFIED } from '../../clients/survey.ts';
import { ignoredKeys, policyFacts } from '../../permissions/policy/format.ts';
import { currentPolicy } from '../../permissions/policy/system-policy.ts';
import { asSentence, type CausewayError, sentences } from '../../platform/errors.ts';
import { type CheckFinding, fail, failedBecause, pass, skipped, warning } from './finding.ts';

/** What an organization has decided for this computer, and whether its policy can be used as a whole. */
export async function policyFinding(): Promise<CheckFinding> {
  const policy = await currentPolicy();
  const { source, organization, problem, ignored } = policy;
  if (problem) return failedBecause(problem, 'settings');
  if (source === null) return skipped('No organization manages this computer.');
  const facts = policyFacts(policy).map(
    ({ title, value, locked }) => `${title}: ${value}${locked ? '' : ' (default)'}`,
  );
  const words = `Managed by ${organization ?? 'your organization'} in ${source}. ${asSentence(facts.join('; ') || 'It sets nothing')}`;
  const notice = ignoredKeys(policy);
  return ignored.length === 0 || notice === undefined
    ? pass(words)
    : warning(`${words} ${notice}`, { advice: 'Update Causeway to apply them.', screen: 'settings' });
}

export async function configurationFinding(auth: AuthService): Promise<CheckFinding> {
  try {
    const entries = await auth.profiles();
    const broken = entries.filter(({ usable }) => !usable).map(({ name }) => name);
    if (entries.length === 0) {
      const action = { do: 'add-workspace', profile: undefined } as const;
      return fail('No workspace connected yet.', { action, screen: 'accounts' });
    }
    const words = entries.length === 1 ? 'One profile found.' : `${entries.length} profiles found.`;
    if (broken.length === 0) return pass(words);
    return warning(`${words} Not usable: ${broken.join(', ')}.`, {
      action: { do: 'see-profiles' },
      screen: 'accounts',
    });
  } catch (error) {
    return failedBecause(error, 'accounts');
  }
}

export async function profileFinding(auth: AuthService, name: string | undefined): Promise<CheckFinding> {
  try {
    const profile = await auth.profile(name);
    return pass(`Profile “${profile.name}” connects to ${profile.host}.`);
  } catch (error) {
    return failedBecause(error, 'accounts');
  }
}

/** A configured server and how it is. */
export interface ServerStatus {
  name: string;
  kind: string;
  path: string;
  /** A name of `ServerHealth`. */
  status: string;
  words: string;
  remedy: string | null;
  /** Why it is not ready, where that is known. */
  problem?: CausewayError | undefined;
}

export function serversFinding(servers: readonly ServerStatus[]): CheckFinding {
  if (servers.length === 0) {
    return warning('No servers yet.', { action: { do: 'add-server' }, screen: 'servers' });
  }
  const failing = servers.filter(({ status }) => status !== 'ready' && status !== 'connecting');
  const connecting = servers.filter(({ status }) => status === 'connecting');
  if (failing.length > 0) {
    const words = sentences(...failing.map((server) => `${server.name}: ${server.words}`));
    const error = failing.find(({ problem }) => problem !== undefined)?.problem;
    return fail(words, { advice: remedyOfAll(failing), screen: 'servers' }, error);
  }
  if (connecting.length > 0) return skipped(`Still connecting: ${connecting.map(({ name }) => name).join(', ')}.`);
  return pass(servers.length === 1 ? 'One server is ready.' : `All ${servers.length} servers are ready.`);
}

/** A remedy for all servers appears once; any other one names its server. */
function remedyOfAll(failing: readonly ServerStatus[]): string | undefined {
  const [first, ...others] = new Set(failing.map(({ remedy }) => remedy));
  if (others.length === 0) return first ?? undefined;
  return sentences(...failing.map(({ name, remedy }) => remedy && `${name}: ${remedy}`));
}

/** Whether what was written into AI clients' files is there and right. */
export function clientsFinding(reports: readonly ClientReport[]): CheckFinding {
  const found = reports.filter(({ foundBy }) => foundBy !== null);
  const troubled = found.filter(
    ({ files, problem }) => problem !== undefined || files.some((file) => file.problem !== undefined),
  );
  const broken = found.filter(({ files }) =>
    files.some(
      ({ entries, leftOver }) =>
        leftOver.length > 0 || Object.values(entries).some((state) => MODIFIED.includes(state)),
    ),
  );
  const notOnPath = found.filter(({ files }) =>
    files.some(({ entries }) => Object.values(entries).includes('not-on-path')),
  );
  const connected = found.filter(({ files }) =>
    files.some(({ entries }) => Object.values(entries).some((state) => state === 'current' || state === 'outdated')),
  );
  if (troubled.length > 0) {
    const words = `Config files with problems: ${namesOf(troubled)}.`;
    return fail(words, { action: { do: 'see-client-files' }, screen: 'clients' });
  }
  if (broken.length > 0) {
    const words = `Entries that need a repair: ${namesOf(broken)}.`;
    return fail(words, { action: { do: 'repair-entries' }, screen: 'clients' });
  }
  if (notOnPath.length > 0) {
    const words = `The causeway command is not on the PATH for: ${namesOf(notOnPath)}.`;
    const advice = 'Install the causeway command in a folder on the PATH, then restart the client.';
    return warning(words, { advice, screen: 'clients' });
  }
  if (found.length === 0) return skipped('No AI clients found on this computer.');
  if (connected.length === 0) {
    return warning('No AI clients connected yet.', { action: { do: 'connect-client' }, screen: 'clients' });
  }
  return pass(`Entries are up to date: ${namesOf(connected)}.`);
}

function namesOf(reports: readonly ClientReport[]): string {
  return reports.map(({ name }) => name).join(', ');
}
