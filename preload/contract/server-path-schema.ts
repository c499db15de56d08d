import { z } from 'zod';
import { readPathPattern, readServerPath } from './server-path.ts';

/** The path of a server in a file that somebody else has written: canonical or not, but one that `readServerPath` reads. */
export const serverPathSchema = z.string().superRefine((text, context) => {
  const read = readServerPath(text);
  if ('fault' in read) context.addIssue({ code: 'custom', message: `${JSON.stringify(text)} ${read.fault}` });
});

/** A pattern, as `readPathPattern` reads it. */
export const pathPatternSchema = z.string().superRefine((text, context) => {
  const read = readPathPattern(text);
  if (typeof read !== 'function')
    context.addIssue({ code: 'custom', message: `${JSON.stringify(text)} ${read.fault}` });
});
