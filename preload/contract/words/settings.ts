/** The settings' names and what each does, in the window and on the command line. */
export const settingWords = {
  startAtLogin: {
    label: 'Start at login',
    hint: 'Starts in the tray when you log in. AI clients connect faster.',
    impossible: 'Not available on this system.',
  },
  openWindow: { label: 'Open window at startup', hint: 'Turn off to start in the tray only.' },
  appearance: {
    label: 'Theme',
    hint: 'Choose light or dark, or follow the system.',
    choices: { system: 'System', light: 'Light', dark: 'Dark' },
  },
  notifications: { label: 'Desktop notifications', hint: 'Shows a notification for each event below.' },
  notifyApprovals: { label: 'Waiting calls', hint: 'A call needs your approval.' },
  notifySignedOut: { label: 'Expired sign-ins', hint: 'You are signed out of the workspace.' },
  notifyOverride: { label: 'Failing overrides', hint: 'Your warehouse was deleted, or you lost access to it.' },
  notifyUpdates: { label: 'Available updates', hint: 'A new version is ready to install.' },
  keepServersWarm: { label: 'Keep servers connected', hint: 'Checks servers regularly. AI clients start faster.' },
  lookUpStatements: {
    label: 'Look up SQL statements',
    hint: 'Shows where queries of AI clients ran and how long they took. Asks the workspace at most four times a minute.',
  },
  tokenStore: {
    label: 'Credential storage',
    hint: 'The system keychain is safer. Sign-ins move when you change this.',
    byEnvironment: (value: string) => `Set to “${value}” by the environment variable CAUSEWAY_TOKEN_STORE.`,
    choices: { keychain: 'System keychain', 'encrypted-file': 'Encrypted file' },
  },
  activityDays: {
    label: 'Keep activity',
    hint: 'Which calls were made, and how they ended. No SQL, no contents. Older calls are deleted.',
    choices: {
      '0': 'In memory only',
      '1': '1 day',
      '7': '7 days',
      '30': '30 days',
      '90': '90 days',
      '365': '1 year',
    },
  },
  automaticUpdates: {
    label: 'Download updates automatically',
    hint: 'Checks twice a day. You choose when to restart.',
  },
  updateChannel: {
    label: 'Update channel',
    hint: 'Preview versions arrive earlier and are less tested.',
    choices: { latest: 'Stable', beta: 'Preview' },
  },
  logLevel: {
    label: 'Log level',
    hint: (folder: string) => `Tokens and passwords are never logged. Folder: ${folder}`,
    choices: { error: 'Errors', warn: 'Warnings', info: 'Normal', debug: 'Debug' },
  },
  audit: {
    label: 'Audit calls',
    hint: 'Records who calls which tool, the outcome, sign-ins and changes. No SQL, no contents.',
    file: (file: string) => `File: ${file}`,
    collector: (address: string) => `Sent to ${address}.`,
  },
} as const;
