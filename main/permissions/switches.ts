/** What an agent may do with a tool: use it, not use it, or use it once the user has allowed the call. */
export const SWITCHES = ['on', 'off', 'ask'] as const;

export type Switch = (typeof SWITCHES)[number];
