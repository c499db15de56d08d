/** What the shared parts say. */
export const strings = {
  cancel: 'Cancel',
  close: 'Close',
  dismiss: 'Dismiss',
  tryAgain: 'Try again',
  /** Within a phrase, only names and acronyms keep their capital. */
  search: (label: string) =>
    `Search ${/^(Genie|[A-Z]{2})/.test(label) ? label : label.replace(/^./, (first) => first.toLowerCase())}`,
  managed: (organization: string | null) =>
    organization === null ? 'Managed by your organization' : `Managed by your organization, ${organization}`,
  managedBecause: (managed: string, reason: string | null) =>
    reason === null ? `${managed}.` : `${managed}: ${reason.replace(/\.$/, '')}.`,
  askAdministrator: (contact: string | null) =>
    contact === null ? 'Ask your administrator to change it.' : `To change it, ask ${contact}.`,
  noAnswer: 'Causeway is not responding.',
  restart: 'Quit Causeway and start it again.',
  waiting: {
    steps: {
      starting: 'Opening your browser',
      'waiting-for-browser': 'Waiting for you to sign in',
      'waiting-for-other': 'Another program opened a sign-in page. Sign in there.',
      finishing: 'Signing in',
    },
    noBrowser: 'Your browser could not be opened. Open this link in a browser.',
    host: 'Workspace',
    user: 'User',
    openAgain: 'Open again',
    copyLink: 'Copy link',
    linkCopied: 'Link copied',
  },
} as const;
