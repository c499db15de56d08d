import { z } from 'zod';
import { listing } from './paging.ts';
import type { Rest } from './rest.ts';

const PATH = '/api/2.0/apps';

const Status = z.looseObject({ state: z.string().optional() }).optional();
const DatabricksApp = z.looseObject({
  name: z.string(),
  /** Its origin; missing until it was deployed. */
  url: z.string().optional(),
  description: z.string().optional(),
  app_status: Status,
  compute_status: Status,
});
const Page = z.looseObject({ apps: z.array(DatabricksApp).default([]), next_page_token: z.string().optional() });

/** A Databricks App as the workspace describes it. */
export type DatabricksApp = z.infer<typeof DatabricksApp>;

/** Databricks Apps over one REST client. */
export function appsApi(rest: Rest) {
  return {
    /** The apps that the caller may see, from the page token on. */
    list: (from?: string, signal?: AbortSignal) =>
      listing(rest, { path: PATH, schema: Page, signal }, (page) => page.apps, from),
    /** @throws {WorkspaceError} `not_found`; `permission_denied` without CAN_USE */
    get: (name: string, signal?: AbortSignal) =>
      rest.request({ path: `${PATH}/${encodeURIComponent(name)}`, schema: DatabricksApp, signal }),
    /** Begins to start it; resolves when the workspace has taken note, long before it runs. */
    start: (name: string, signal?: AbortSignal) =>
      rest.request({
        method: 'POST',
        path: `${PATH}/${encodeURIComponent(name)}/start`,
        schema: DatabricksApp,
        signal,
      }),
  };
}
