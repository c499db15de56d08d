import { z } from 'zod';
import { ACTIVITY_DAYS } from './activity-days.ts';
import { problem } from './parts.ts';

/** The settings as they are stored. */
export const settings = z.object({
  /** Whether the window opens when a user starts Causeway. */
  openWindow: z.boolean(),
  appearance: z.enum(['system', 'light', 'dark']),
  /** Whether there are notifications at all; the next four are one for each kind. */
  notifications: z.boolean(),
  notifyApprovals: z.boolean(),
  notifySignedOut: z.boolean(),
  notifyOverride: z.boolean(),
  notifyUpdates: z.boolean(),
  automaticUpdates: z.boolean(),
  updateChannel: z.enum(['latest', 'beta']),
  tokenStore: z.enum(['keychain', 'encrypted-file']),
  logLevel: z.enum(['error', 'warn', 'info', 'debug']),
  keepServersWarm: z.boolean(),
  /** Whether Causeway asks the workspace's query history about the statements of AI clients. */
  lookUpStatements: z.boolean(),
  /** For how many days calls are kept on disk; 0 for memory only. */
  activityDays: z.enum(ACTIVITY_DAYS),
});

/** Some of the settings. A key that is there has a value. */
export const someSettings = z.strictObject({
  openWindow: settings.shape.openWindow.exactOptional(),
  appearance: settings.shape.appearance.exactOptional(),
  notifications: settings.shape.notifications.exactOptional(),
  notifyApprovals: settings.shape.notifyApprovals.exactOptional(),
  notifySignedOut: settings.shape.notifySignedOut.exactOptional(),
  notifyOverride: settings.shape.notifyOverride.exactOptional(),
  notifyUpdates: settings.shape.notifyUpdates.exactOptional(),
  automaticUpdates: settings.shape.automaticUpdates.exactOptional(),
  updateChannel: settings.shape.updateChannel.exactOptional(),
  tokenStore: settings.shape.tokenStore.exactOptional(),
  logLevel: settings.shape.logLevel.exactOptional(),
  keepServersWarm: settings.shape.keepServersWarm.exactOptional(),
  lookUpStatements: settings.shape.lookUpStatements.exactOptional(),
  activityDays: settings.shape.activityDays.exactOptional(),
});

/** A change of settings: what is set, and what is to be again as if the user had chosen nothing. */
export const settingsChange = z.object({ set: someSettings, reset: z.array(settings.keyof()) });

const settingsState = z.object({
  settings,
  /** Null where this system cannot start applications at login. */
  startAtLogin: z.boolean().nullable(),
  /** What `CAUSEWAY_TOKEN_STORE` says, which goes before the setting; null if it says nothing. */
  tokenStoreOfEnvironment: z.string().nullable(),
  /** The file with all of this. */
  file: z.string(),
  logFolder: z.string(),
  /** Why the settings in the file are not the ones that are used; null if all is well. */
  problem: problem.nullable(),
});

/** Whether calls are audited, and where to. */
const auditState = z.object({
  on: z.boolean(),
  /** Where the file is, or would be. */
  file: z.string(),
  /** Whether there is one now. */
  inFile: z.boolean(),
  /** The URL of an OpenTelemetry collector; null if there is none. */
  otlp: z.string().nullable(),
});

/** The state of the update check. */
export const updateState = z.discriminatedUnion('status', [
  /** It checks for updates only when the user asks for it. */
  z.object({ status: z.literal('off') }),
  z.object({
    status: z.literal('not-possible-here'),
    reason: z.enum(['development', 'package-manager']),
    /** What updates it in a terminal, once the newer package is downloaded. */
    command: z.string().exactOptional(),
  }),
  z.object({
    status: z.literal('idle'),
    /** Milliseconds since the epoch; null before the first check. */
    checkedAt: z.number().nullable(),
  }),
  z.object({ status: z.literal('checking') }),
  z.object({ status: z.literal('available'), version: z.string() }),
  z.object({ status: z.literal('downloading'), version: z.string(), percent: z.number() }),
  z.object({ status: z.literal('ready'), version: z.string() }),
  z.object({ status: z.literal('failed'), problem }),
]);

export const settingsRequests = {
  getSettings: { input: z.undefined(), output: settingsState },
  /** Takes effect at once. Nothing is changed if it could not be stored. */
  changeSettings: { input: someSettings, output: settingsState },
  setStartAtLogin: { input: z.object({ on: z.boolean() }), output: settingsState },
  /** Answers when the check for updates has ended; the state holds the result. */
  checkForUpdates: { input: z.undefined(), output: z.undefined() },
  downloadUpdate: { input: z.undefined(), output: z.undefined() },
  restartToUpdate: { input: z.undefined(), output: z.undefined() },
  getAudit: { input: z.undefined(), output: auditState },
  /** On: into the file. Off: nowhere. */
  setAudit: { input: z.object({ on: z.boolean() }), output: auditState },
  showLogFolder: { input: z.undefined(), output: z.undefined() },
} as const;

export const settingsEvents = {
  settingsChanged: settingsState,
} as const;

export type Settings = z.output<typeof settings>;
export type SettingsChange = z.output<typeof settingsChange>;
export type SettingsState = z.output<typeof settingsState>;
export type AuditState = z.output<typeof auditState>;
export type UpdateState = z.output<typeof updateState>;

/** The licenses of the software that the application contains. */
export const notices = z.array(
  z.object({
    name: z.string(),
    version: z.string(),
    /** The license as an SPDX expression. */
    license: z.string(),
    /** The license's whole text, with the copyright. */
    text: z.string(),
  }),
);

const about = z.object({
  version: z.string(),
  /** What it runs on, by name; none of them where it runs without Electron. */
  runtimes: z.array(z.object({ name: z.enum(['Electron', 'Chromium', 'Node.js']), version: z.string() })),
});

export const aboutRequests = {
  getAbout: { input: z.undefined(), output: about },
  getNotices: { input: z.undefined(), output: notices },
  /** Opens the folder with the notices as files, Chromium's among them. */
  showNoticesFolder: { input: z.undefined(), output: z.undefined() },
} as const;

export type LicenseNotice = z.output<typeof notices>[number];
