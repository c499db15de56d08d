import { z } from 'zod';
import { named } from './named.ts';

const value = z.union([z.boolean(), z.string()]);

const setting = named(
  'setting',
  'One of the settings.',
  z.object({
    name: z.string(),
    title: z.string(),
    value: value.nullable(),
    default: value,
    allowed: z.array(value),
    by: z.enum(['default', 'user', 'organization', 'environment']),
    locked: z.boolean(),
    problem: z.string().nullable(),
  }),
  {
    name: 'Its name.',
    title: 'Its name in the window.',
    value: 'What it is now; null if that is not known here.',
    default: 'What it is until a user or the organization decides it.',
    allowed: 'What it can be.',
    by: 'Who has decided it.',
    locked: 'Whether the user cannot change it.',
    problem: 'Why it cannot be changed now, as sentences.',
  },
);

const tag = named(
  'tag',
  'A tag of requests to the gateway.',
  z.object({ name: z.string(), value: z.string(), by: z.enum(['user', 'organization']), locked: z.boolean() }),
  {
    name: 'Its name.',
    value: 'Its value; empty if the tag is left out.',
    by: 'Who has decided it.',
    locked: 'Whether the user cannot change it.',
  },
);

export const tagList = z.object({ tags: z.array(tag), file: z.string() });

export const settingList = z.object({ settings: z.array(setting), file: z.string() });

export const oneSetting = z.object({ setting });
