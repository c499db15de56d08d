export const everyoneRequests = {} as const;

export const everyoneEvents = {} as const;
