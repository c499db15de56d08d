import { z } from 'zod';
import { items, listing } from './paging.ts';
import type { Rest } from './rest.ts';

const PATH = '/api/2.0/vector-search';

const Endpoints = z.looseObject({
  endpoints: z.array(z.looseObject({ name: z.string() })).default([]),
  next_page_token: z.string().optional(),
});
const Index = z.looseObject({ name: z.string(), endpoint_name: z.string().optional() });
const Indexes = z.looseObject({
  vector_indexes: z.array(Index).default([]),
  next_page_token: z.string().optional(),
});
const IndexDetail = z.looseObject({
  delta_sync_index_spec: z.looseObject({ embedding_source_columns: z.array(z.unknown()).optional() }).optional(),
});

/** The vector search look-ups over one REST client. */
export function vectorSearchApi(rest: Rest) {
  return {
    /** The names of all endpoints. */
    endpoints: (signal?: AbortSignal) =>
      items(rest, { path: `${PATH}/endpoints`, schema: Endpoints, signal }, ({ endpoints }) =>
        endpoints.map(({ name }) => name),
      ),
    /** An endpoint's indexes that the caller may see, named `catalog.schema.index`, from the page token on. */
    indexes: (endpoint_name: string, from?: string, signal?: AbortSignal) => {
      const asked = { path: `${PATH}/indexes`, query: { endpoint_name }, schema: Indexes, signal };
      return listing(rest, asked, (page) => page.vector_indexes, from);
    },
    /** Whether the workspace makes an index's embeddings: managed servers search no others. */
    hasManagedEmbeddings: async (index: string, signal?: AbortSignal) => {
      const path = `${PATH}/indexes/${encodeURIComponent(index)}`;
      const { delta_sync_index_spec: spec } = await rest.request({ path, schema: IndexDetail, signal });
      return (spec?.embedding_source_columns?.length ?? 0) > 0;
    },
  };
}
