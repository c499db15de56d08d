import { z } from 'zod';
import { type Listing, listing } from './paging.ts';
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

export interface Genie {
  /** The spaces that the caller may open, from the page token on. */
  spaces(from?: string, signal?: AbortSignal): Promise<Listing<GenieSpace>>;
}

/** The Genie look-ups over one REST client. */
export function genieApi(rest: Rest): Genie {
  return {
    spaces: (from, signal) =>
      listing(
        (page_token) => rest.request({ path: PATH, query: { page_token }, schema: Spaces, signal }),
        (page) => page.spaces,
        from,
      ),
  };
}
