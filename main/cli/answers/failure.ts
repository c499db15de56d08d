import { z } from 'zod';
import { errorCode } from '../../../preload/contract/parts.ts';
import { named } from './named.ts';

/** Why something failed, wherever an answer says so. */
export const failure = named(
  'failure',
  'Why something failed.',
  z.object({
    code: errorCode,
    message: z.string(),
    remedy: z.string().nullable(),
    candidates: z.array(z.object({ name: z.string(), id: z.string().optional() })).nullable(),
    retryAfterMs: z.number().nullable(),
  }),
  {
    code: 'The identifier of the failure; exit-codes.md lists all of them. Depend on it, never on a text.',
    message: 'What failed, as sentences.',
    remedy: 'What to do about it, as sentences.',
    candidates: 'The possible meanings of a name that is unknown or ambiguous.',
    retryAfterMs: 'The delay that the workspace asked for.',
  },
);

export type JsonFailure = z.output<typeof failure>;

/** What a command prints if it fails as a whole. */
export const failed = z.object({ error: failure });

/** One thing that was checked, with the result. */
export const check = named(
  'check',
  'One thing that was checked.',
  z.object({
    id: z.string(),
    title: z.string(),
    status: z.enum(['pass', 'warning', 'fail', 'unknown', 'skipped']),
    message: z.string(),
    remedy: z.string().nullable(),
    error: failure.nullable(),
  }),
  {
    id: 'The identifier of the check.',
    title: 'Its name.',
    status: '`unknown` if it could not be made, `skipped` if there was nothing to check.',
    message: 'What was found, as sentences.',
    remedy: 'What to do about it, as sentences.',
    error: 'The failure behind it.',
  },
);
