import { z } from 'zod';
import { CausewayError } from '../platform/errors.ts';
import { percentDecoded } from '../platform/percent.ts';
import { listing } from './paging.ts';
import type { Rest } from './rest.ts';

const PATH = '/api/2.0/genie/spaces';

const Space = z.looseObject({
  space_id: z.string(),
  title: z.string().default(''),
  description: z.string().optional(),
});
const Spaces = z.looseObject({ spaces: z.array(Space).default([]), next_page_token: z.string().optional() });

/** A Genie space as the workspace describes it. */
export type GenieSpace = z.infer<typeof Space>;

const SPACE_PATH = /^\/api\/2\.0\/mcp\/genie\/([^/?#]+)\/?$/;

/** The Genie space that a server's path names by its id; undefined for every other server. */
export function spaceOf(path: string): string | undefined {
  const id = SPACE_PATH.exec(path)?.[1];
  return id === undefined ? undefined : percentDecoded(id);
}

/** The title of the Genie space that a server's path names; undefined if there is none, or none can be read now. */
export async function spaceTitle(genie: Genie, path: string, signal?: AbortSignal): Promise<string | undefined> {
  const id = spaceOf(path);
  if (id === undefined) return undefined;
  try {
    return (await genie.space(id, signal)).title.trim() || undefined;
  } catch (error) {
    // A title is only for people: without one, the id says which space it is.
    if (error instanceof CausewayError) return undefined;
    throw error;
  }
}

type Genie = ReturnType<typeof genieApi>;

/** The Genie look-ups over one REST client. */
export function genieApi(rest: Rest) {
  return {
    /** The spaces that the caller may open, from the page token on. */
    spaces: (from?: string, signal?: AbortSignal) =>
      listing(rest, { path: PATH, schema: Spaces, signal }, (page) => page.spaces, from),
    /** @throws {WorkspaceError} `not_found`; `permission_denied` if the caller may not open it */
    space: (id: string, signal?: AbortSignal) =>
      rest.request({ path: `${PATH}/${encodeURIComponent(id)}`, schema: Space, signal }),
  };
}
