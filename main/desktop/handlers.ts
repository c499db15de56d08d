import type { z } from 'zod';

/** One function for each request of a group of the contract. */
export type HandlersOf<Requests extends Record<string, { input: z.ZodType; output: z.ZodType }>> = {
  [Name in keyof Requests]: (input: z.output<Requests[Name]['input']>) => Promise<z.output<Requests[Name]['output']>>;
};
