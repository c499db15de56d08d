import type { CallFilter } from './activity.ts';

/** The filter that leaves out nothing. */
export const ALL_CALLS: CallFilter = {
  client: null,
  path: null,
  tool: null,
  outcome: null,
  text: '',
  day: null,
  failedFirst: false,
};
