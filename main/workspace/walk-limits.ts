/** The most requests of one walk through what a workspace offers, unless it is asked to continue to the end. */
export const MAX_WALK_REQUESTS = 500;
/** The most requests of any walk. */
export const MAX_REQUESTS_TO_THE_END = 20_000;
