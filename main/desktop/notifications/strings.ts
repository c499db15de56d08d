/** The texts of notifications. */
export const strings = {
  signedOut: (profile: string) => `Signed out of ${profile}`,
  signedOutBody: 'AI clients cannot reach the workspace. Sign in again.',
  signIn: 'Sign in',
  dangling: 'Your override needs attention',
  changeWarehouse: 'Change warehouse',
  approvalBody: (beginning: string, server: string) => `${beginning}\nOn ${server}. Click to review it.`,
  approvalShort: (server: string) => `On ${server}. Click to review it.`,
  review: 'Review',
  allowOnce: 'Allow once',
  block: 'Block this call',
  updateReady: (version: string) => `Version ${version} is ready`,
  updateReadyBody: 'Restart Causeway to use it.',
  restart: 'Restart now',
  settingsNotUsed: 'Your settings could not be read',
} as const;
