import { z } from 'zod';
import { isNonce } from './proof.ts';
import { type Entry, type Hello, HUB_PROTOCOL } from './wire.ts';

const HelloLine = z.object({ hub: z.literal(HUB_PROTOCOL), nonce: z.string().refine(isNonce) });

const EntryLine = z.object({
  proof: z.string(),
  version: z.string(),
  pid: z.number(),
  request: z.object({ profile: z.string().optional(), path: z.string(), origin: z.string().optional() }),
});

/** Reads a peer's first line; undefined for anything that is not a hello of this protocol. */
export function readHello(line: string): Hello | undefined {
  return readLine(HelloLine, line);
}

/** Reads a peer's second line; undefined for anything else. */
export function readEntry(line: string): Entry | undefined {
  return readLine(EntryLine, line);
}

function readLine<T>(schema: z.ZodType<T>, line: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    // Not JSON: not one of ours.
    return undefined;
  }
}
