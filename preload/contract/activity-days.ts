/** For how many days calls are kept on disk, as settings and policies have it; 0 keeps them in memory only. Without zod, for proxies. */
export const ACTIVITY_DAYS = ['0', '1', '7', '30', '90', '365'] as const;

export type ActivityDays = (typeof ACTIVITY_DAYS)[number];

/** Unless the user or the organization says otherwise. */
export const USUAL_ACTIVITY_DAYS: ActivityDays = '90';
