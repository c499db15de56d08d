import type { z } from 'zod';
import { readBounded } from './bounded-file.ts';

/** The value of a JSON text; undefined for any other text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What one of our own files holds that can be done without; undefined if there is none, or it is damaged. */
export async function readStored<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const bytes = await readBounded(file, 'own').catch(() => undefined);
  return schema.safeParse(jsonIn(String(bytes))).data;
}
