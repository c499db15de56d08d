export const settingsRequests = {} as const;

export const settingsEvents = {} as const;
