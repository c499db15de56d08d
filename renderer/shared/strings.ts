/** What the shared parts say. */
export const strings = {
  cancel: 'Cancel',
  close: 'Close',
  dismiss: 'Dismiss',
  tryAgain: 'Try again',
  search: (label: string) => `Search ${label}`,
  noAnswer: 'Causeway did not answer its own window.',
  restart: 'Quit Causeway and start it again.',
} as const;
