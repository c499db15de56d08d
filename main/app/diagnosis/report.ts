import { readFileSync } from 'node:fs';
import { arch, release } from 'node:os';
import { join } from 'node:path';
import type { ProfileEntry } from '../../auth/auth.ts';
import { withoutControls } from '../../platform/display.ts';
import { sentences } from '../../platform/errors.ts';
import { clearedText } from '../../platform/outside-text.ts';
import { homeFolder, logFolder } from '../../platform/paths.ts';

import type { EffectiveWarehouse } from '../../warehouses/effective.ts';
import type { FindingStatus } from './finding.ts';
import type { ServerStatus } from './local-checks.ts';

/** All that goes into a report about this computer's Causeway. */
export interface ReportParts {
  version: string;
  /** Of what it runs on, by name. */
  versions: Record<string, string | undefined>;
  system: { platform: string; release: string; arch: string; language: string };
  env: NodeJS.ProcessEnv;
  settings: Readonly<Record<string, unknown>>;
  settingsFile: string;
  profiles: readonly ProfileEntry[];
  state: ReportedState;
  /** Null where they were not run. */
  checks: readonly ReportedCheck[] | null;
  /** The newest lines of the log. */
  log: readonly string[];
  now: Date;
}

/** What Causeway knew when the report was made. */
export interface ReportedState {
  profile: string | null;
  /** As `warehouseInReport` formats it, or why it is not known. */
  warehouse: string;
  servers: readonly Pick<ServerStatus, 'name' | 'kind' | 'path' | 'status' | 'words'>[];
  /** Null if no application is running. */
  sessions: number | null;
  /** Null if nothing looks for updates. */
  updates: string | null;
}

interface ReportedCheck {
  title: string;
  status: FindingStatus | 'waiting' | 'running';
  words: string;
  remedy: string | null;
}

/** The newest lines of the log that go into a report. */
const LOG_LINES = 300;

/** The environment's variables that change what Causeway does. The report says whether they are set, not their values. */
const REPORTED_VARIABLES =
  /^(CAUSEWAY_|DATABRICKS_|https?_proxy$|no_proxy$|NODE_EXTRA_CA_CERTS$|SSL_CERT_FILE$|XDG_|APPIMAGE$)/i;

/** Shown with their values: they hold a choice among a few words. */
const HARMLESS = new Set(['CAUSEWAY_TOKEN_STORE', 'DATABRICKS_AUTH_TYPE', 'XDG_SESSION_TYPE', 'XDG_CURRENT_DESKTOP']);

/**
 * A support report as plain text: no tokens, passwords, names, e-mail addresses or queries. The whole text is redacted
 * once more at the end.
 */
export function reportOf(parts: ReportParts): string {
  const { version, versions, system, settings, settingsFile, now } = parts;
  const sections: [title: string, lines: string[]][] = [
    [
      `Causeway ${version}`,
      [
        `Created: ${now.toISOString()}`,
        `System: ${system.platform} ${system.release} ${system.arch}, ${system.language}`,
        `Runs on: ${runsOn(versions)}`,
      ],
    ],
    ['Checks', checkLines(parts.checks)],
    ['Profiles', parts.profiles.map(profileLine)],
    ['State', stateLines(parts.state)],
    ['Settings', [`File: ${settingsFile}`, ...Object.entries(settings).map(([name, value]) => `${name}: ${value}`)]],
    ['Environment', environmentLines(parts.env)],
    ['Log', [...parts.log]],
  ];
  const text = sections.map(
    ([title, lines]) =>
      `## ${title}\n${lines.length > 0 ? lines.map((line) => withoutControls(line)).join('\n') : '(none)'}\n`,
  );
  return withoutPeople(clearedText(text.join('\n')), homeFolder(parts.env));
}

function runsOn(versions: ReportParts['versions']): string {
  const telling = ['electron', 'chrome', 'node'];
  return telling.flatMap((name) => (versions[name] ? [`${name} ${versions[name]}`] : [])).join(', ');
}

/** What a report says about the system it is made on. */
export function systemInReport(): ReportParts['system'] {
  const { locale } = Intl.DateTimeFormat().resolvedOptions();
  return { platform: process.platform, release: release(), arch: arch(), language: locale };
}

/** The newest lines of the application's log, redacted; none if nothing was logged. */
export function logInReport(env: NodeJS.ProcessEnv, count = LOG_LINES): string[] {
  const lines = ['main.old.log', 'main.log'].flatMap((name) => linesOf(join(logFolder(env), name)));
  return lines.slice(-count).map((line) => clearedText(line));
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/).filter(Boolean);
  } catch {
    // Nothing was logged yet.
    return [];
  }
}

function checkLines(checks: ReportParts['checks']): string[] {
  if (checks === null) return ['Not run.'];
  return checks.map(({ title, status, words, remedy }) => `[${status}] ${title}: ${sentences(words, remedy)}`);
}

function profileLine(entry: ProfileEntry): string {
  const mark = entry.isDefault ? ' (default)' : '';
  if (!entry.usable) return `${entry.name}${mark}: cannot be used (${entry.reason}), ${entry.host ?? 'no host'}`;
  return `${entry.name}${mark}: ${entry.profile.method}, ${entry.profile.host}`;
}

function stateLines({ profile, warehouse, servers, sessions, updates }: ReportedState): string[] {
  return [
    `Profile: ${profile ?? 'none'}`,
    `Warehouse: ${warehouse}`,
    ...servers.map(({ name, kind, path, status, words }) => `Server ${name} (${kind}, ${path}): ${status}, ${words}`),
    `AI client sessions: ${sessions ?? 'application not running'}`,
    ...(updates === null ? [] : [`Updates: ${updates}`]),
  ];
}

/** The effective warehouse in one line. */
export function warehouseInReport({
  warehouse,
  decidedBy,
  certainty,
  problems,
}: Pick<EffectiveWarehouse, 'decidedBy' | 'certainty'> & {
  warehouse: { id: string; state: string } | null;
  problems: readonly { code: string }[];
}): string {
  const found = warehouse ? `${warehouse.id}, ${warehouse.state}` : 'none';
  return `${found}; by ${decidedBy ?? 'nothing'} (${certainty}); problems: ${problems.map(({ code }) => code).join(', ') || 'none'}`;
}

function environmentLines(env: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(env).filter((name) => REPORTED_VARIABLES.test(name) && env[name]);
  return names.sort().map((name) => (HARMLESS.has(name) ? `${name}: ${env[name]}` : `${name} is set`));
}

/** Removes what names the user: e-mail addresses and the home folder. */
function withoutPeople(text: string, home: string): string {
  const anonymous = text.replace(/[\p{L}\d._%+-]+@[\p{L}\d.-]+\.\p{L}{2,}/gu, '[person]');
  return home.length > 1 ? anonymous.replaceAll(home, '~') : anonymous;
}
