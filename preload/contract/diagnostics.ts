export const diagnosticsRequests = {} as const;

export const diagnosticsEvents = {} as const;
