import { counted } from '../../../preload/contract/words/count.ts';
import { updateWords } from '../../../preload/contract/words/update.ts';
import { overrideActions } from '../../../preload/contract/words/warehouse.ts';

/** The texts of the tray: its menu, its tooltip, and what its actions confirm or report. */
export const strings = {
  app: 'Causeway',
  open: 'Open Causeway',
  settings: 'Settings',
  quit: 'Quit',
  addServers: 'Add servers…',
  copyReport: 'Copy support report',
  more: (count: number) => `${count} more…`,
  approval: {
    review: 'Review…',
    allowOnce: 'Allow once',
    block: 'Block this call',
  },
  warehouse: {
    loading: 'Connecting…',
    signingIn: 'Waiting for the browser…',
    unconfigured: 'Connect your workspace…',
    missing: 'A missing warehouse',
    switch: 'Switch warehouse',
    switchInWindow: 'Switch warehouse…',
    ...overrideActions,
    start: (name: string) => `Start ${name}`,
    stop: (name: string) => `Stop ${name}…`,
  },
  next: {
    signIn: 'Sign in…',
    chooseProfile: 'Choose a profile…',
    tryAgain: 'Try again',
    signInTo: (name: string) => `Sign in to ${name}…`,
  },
  servers: {
    state: (name: string, state: string) => `${name} — ${state}`,
    sessions: (state: string, count: number) => `${state}, ${counted(count, 'session')}`,
  },
  clients: {
    none: 'No clients connected',
    count: (count: number) => `${counted(count, 'client')} connected`,
    unknown: 'AI client',
    sessions: (name: string, count: number) => `${name} — ${counted(count, 'session')}`,
    activity: 'Show activity',
  },
  recording: 'Recording requests and responses…',
  updates: {
    check: updateWords.check,
    checking: `${updateWords.checking}…`,
    get: (version: string) => `Download version ${version}`,
    downloading: (version: string) => `${updateWords.downloading(version)}…`,
    restart: (version: string) => `Restart to update to ${version}`,
  },
  tooltip: {
    answer: (answer: string) => `Causeway: ${answer}`,
    approvals: (count: number) => `${counted(count, 'call is', 'calls are')} waiting for your answer`,
    signedOut: 'Signed out',
    dangling: 'Your override needs attention',
    servers: 'A server needs attention',
    updateReady: updateWords.ready,
  },
  done: {
    reportTitle: 'Support report copied',
    report: 'Paste it where you ask for help. It contains no tokens, passwords or names.',
    updates: 'Updates',
    newest: updateWords.newest,
    available: updateWords.available,
    ready: (version: string) => `${updateWords.ready(version)}. Restart Causeway to use it.`,
  },
  failed: {
    signedOut: 'You are not signed in',
    signedOutOf: (name: string) => `You are not signed in to ${name}`,
    answer: 'Your answer was not sent',
    report: 'The support report was not copied',
    update: 'Causeway was not updated',
    use: (name: string) => `Could not switch to ${name}`,
    followLast: 'Could not follow your last selection',
    useDefault: 'Your override was not removed',
    start: (name: string) => `${name} was not started`,
    stop: (name: string) => `${name} was not stopped`,
  },
} as const;
