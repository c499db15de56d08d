import { counted } from '../../preload/contract/words/count.ts';
import { updateWords } from '../../preload/contract/words/update.ts';

/** The texts of what surrounds the screens. */
export const strings = {
  product: 'Causeway',
  skip: 'Skip to content',
  screens: 'Screens',
  admin: 'Admin',
  badges: {
    servers: (count: number) => counted(count, 'server'),
    sessions: (count: number) => counted(count, 'session'),
    attention: (count: number) => counted(count, 'needs attention', 'need attention'),
    approvals: (count: number) => counted(count, 'call needs approval', 'calls need approval'),
    problems: (count: number) => counted(count, 'problem'),
  },
  account: {
    label: 'Account: ',
    none: 'No account',
    signedOut: 'Signed out',
    add: 'Add workspace…',
    manage: 'Manage accounts',
    signIn: 'Sign in',
    signOut: 'Sign out…',
  },
  signIns: {
    inProgress: (profile: string) => `Signing in to ${profile}`,
  },
  failed: (title: string, message: string) => `${title}. ${message}`,
  palette: {
    button: 'Search and commands',
    title: 'Command palette',
    search: 'Search screens, servers and actions',
    nothing: (query: string) => `No results for “${query}”`,
    groups: {
      screens: 'Go to',
      warehouse: 'Warehouse',
      servers: 'Servers',
      clients: 'AI clients',
      accounts: 'Accounts',
      more: 'More',
    },
    switchTo: (warehouse: string) => `Switch to ${warehouse}`,
    start: (warehouse: string) => `Start ${warehouse}`,
    changeDefault: 'Change workspace default…',
    stop: (warehouse: string) => `Stop ${warehouse}…`,
    addServer: 'Add server…',
    switchAccount: (profile: string) => `Switch account to ${profile}`,
    signIn: (profile: string) => `Sign in to ${profile}`,
    signOut: (profile: string) => `Sign out of ${profile}…`,
    addWorkspace: 'Add workspace…',
    diagnostics: 'Copy support report',
    update: updateWords.check,
    shortcuts: 'Keyboard shortcuts',
  },
  done: {
    switched: (warehouse: string) => `New queries run on ${warehouse}.`,
    starting: (warehouse: string) => `${warehouse} is starting.`,
    copied: 'Support report copied. Tokens and passwords are removed.',
  },
  shortcuts: {
    title: 'Keyboard shortcuts',
    palette: 'Open command palette',
    list: 'Show keyboard shortcuts',
    screen: (title: string) => `Go to ${title}`,
    close: 'Close dialog or menu',
    escape: 'Esc',
  },
} as const;
