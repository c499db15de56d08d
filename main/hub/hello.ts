import { z } from 'zod';
import { type Hello, HUB_PROTOCOL } from './wire.ts';

const Schema = z.object({
  hub: z.literal(HUB_PROTOCOL),
  secret: z.string(),
  version: z.string(),
  pid: z.number(),
  request: z.object({ profile: z.string().optional(), path: z.string(), origin: z.string().optional() }),
});

/** Reads a peer's first line; undefined for anything that is not a hello of this protocol. */
export function readHello(line: string): Hello | undefined {
  try {
    return Schema.safeParse(JSON.parse(line)).data;
  } catch {
    // Not JSON: not one of ours.
    return undefined;
  }
}
