import type { DesktopState, Diagnosis, Settings } from '../../../preload/contract.ts';
import type { ProfileEntry } from '../../auth/auth.ts';
import { withoutControls } from '../../platform/display.ts';
import { redact } from '../../platform/redact.ts';
import { sentences } from '../../platform/sentences.ts';

/** All that goes into a report about this computer's Causeway. */
export interface BundleParts {
  version: string;
  /** Of what it runs on, by name. */
  versions: Record<string, string | undefined>;
  system: { platform: string; release: string; arch: string; language: string };
  env: NodeJS.ProcessEnv;
  settings: Settings;
  settingsFile: string;
  profiles: readonly ProfileEntry[];
  state: DesktopState;
  diagnosis: Diagnosis;
  /** The newest lines of the log. */
  log: readonly string[];
  now: Date;
}

/** The environment's variables that change what Causeway does. Whether they are set matters; what they hold is nobody's. */
const TELLING = /^(CAUSEWAY_|DATABRICKS_|https?_proxy$|no_proxy$|NODE_EXTRA_CA_CERTS$|SSL_CERT_FILE$|XDG_|APPIMAGE$)/i;

/** Shown with their values: they hold a choice among a few words. */
const HARMLESS = new Set(['CAUSEWAY_TOKEN_STORE', 'DATABRICKS_AUTH_TYPE', 'XDG_SESSION_TYPE', 'XDG_CURRENT_DESKTOP']);

/**
 * A report as plain text, for whoever helps: no token, no password, nobody's name or address of mail, no query. All of it
 * passes the redaction once more, whatever it is made of.
 */
export function bundleOf(parts: BundleParts): string {
  const { version, versions, system, settings, settingsFile, now } = parts;
  const sections: [title: string, lines: string[]][] = [
    [
      `Causeway ${version}`,
      [
        `Made: ${now.toISOString()}`,
        `System: ${system.platform} ${system.release} ${system.arch}, ${system.language}`,
        `Runs on: ${runsOn(versions)}`,
      ],
    ],
    ['Checks', checkLines(parts.diagnosis)],
    ['Profiles', parts.profiles.map(profileLine)],
    ['State', stateLines(parts.state)],
    ['Settings', [`File: ${settingsFile}`, ...Object.entries(settings).map(([name, value]) => `${name}: ${value}`)]],
    ['Environment', environmentLines(parts.env)],
    ['Log', [...parts.log]],
  ];
  const text = sections.map(
    ([title, lines]) =>
      `## ${title}\n${lines.length > 0 ? lines.map((line) => withoutControls(line)).join('\n') : '(nothing)'}\n`,
  );
  return withoutPeople(redact(text.join('\n')));
}

function runsOn(versions: BundleParts['versions']): string {
  const telling = ['electron', 'chrome', 'node'];
  return telling.flatMap((name) => (versions[name] ? [`${name} ${versions[name]}`] : [])).join(', ');
}

function checkLines({ startedAt, checks }: Diagnosis): string[] {
  if (startedAt === null) return ['They were not run.'];
  return checks.map(({ title, status, words, remedy }) => `[${status}] ${title}: ${sentences(words, remedy)}`);
}

function profileLine(entry: ProfileEntry): string {
  const mark = entry.isDefault ? ' (default)' : '';
  if (!entry.usable) return `${entry.name}${mark}: cannot be used (${entry.reason}), ${entry.host ?? 'no host'}`;
  return `${entry.name}${mark}: ${entry.profile.method}, ${entry.profile.host}`;
}

function stateLines({ profile, warehouse, servers, proxies, update }: DesktopState): string[] {
  return [
    `Profile: ${profile ?? 'none is open'}`,
    `Warehouse: ${warehouseInWords(warehouse)}`,
    ...servers.map(
      ({ name, kind, path, state }) => `Server ${name} (${kind}, ${path}): ${state.status}, ${state.words}`,
    ),
    `Sessions of AI clients: ${proxies.length}`,
    `Updates: ${update.status}`,
  ];
}

function warehouseInWords(warehouse: DesktopState['warehouse']): string {
  if (warehouse.status === 'failed') return `failed (${warehouse.failure.problem.code})`;
  if (warehouse.status !== 'known') return warehouse.status;
  const { decidedBy, certainty, effective, problems } = {
    ...warehouse.effective,
    effective: warehouse.effective.warehouse,
  };
  const found = effective ? `${effective.id}, ${effective.state}` : 'none';
  return `${found}; by ${decidedBy ?? 'nothing'} (${certainty}); problems: ${problems.map(({ code }) => code).join(', ') || 'none'}`;
}

function environmentLines(env: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(env).filter((name) => TELLING.test(name) && env[name]);
  return names.sort().map((name) => (HARMLESS.has(name) ? `${name}: ${env[name]}` : `${name} is set`));
}

/** Who it is matters to nobody who helps. */
function withoutPeople(text: string): string {
  return text.replace(/[\p{L}\d._%+-]+@[\p{L}\d.-]+\.\p{L}{2,}/gu, '[person]');
}
