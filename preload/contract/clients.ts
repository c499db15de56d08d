export const clientRequests = {} as const;

export const clientEvents = {} as const;
