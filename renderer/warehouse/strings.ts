/** What the Warehouse screen says. */
export const strings = {
  signIn: 'Continue in your browser',
} as const;
