import { z } from 'zod';

/** The shapes that answers are made of: their names, and what they are. */
export const SHAPES = z.registry<{ id: string; description: string }>();

/** The meanings of their members. */
export const MEMBER_TEXTS = new WeakMap<z.core.$ZodType, string>();

/** The same schema, with a name and with a text for each of its members. */
export function named<Members extends z.ZodRawShape>(
  id: string,
  description: string,
  schema: z.ZodObject<Members>,
  members: { readonly [Name in keyof Members & string]: string },
): z.ZodObject<Members> {
  SHAPES.add(schema, { id, description });
  for (const [name, text] of Object.entries(members)) {
    const member: z.core.$ZodType | undefined = schema.shape[name];
    if (member) MEMBER_TEXTS.set(member, String(text));
  }
  return schema;
}
