/** Where the search for a newer version of Causeway stands. */
export const updateWords = {
  newest: 'You have the latest version.',
  available: (version: string) => `Version ${version} is available.`,
  ready: (version: string) => `Version ${version} is ready`,
  downloading: (version: string) => `Downloading version ${version}`,
  checking: 'Checking for updates',
  check: 'Check for updates',
} as const;
