import { z } from 'zod';
import { items, type Listing, listing, pages } from './paging.ts';
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

/** Its name is `catalog.schema.index`. */
type VectorIndex = z.infer<typeof Index>;

export interface VectorSearch {
  /** The names of all endpoints. */
  endpoints(signal?: AbortSignal): AsyncGenerator<string>;
  /** An endpoint's indexes that the caller may see, from the page token on. */
  indexes(endpoint: string, from?: string, signal?: AbortSignal): Promise<Listing<VectorIndex>>;
  /** Whether the workspace makes an index's embeddings: managed servers search no others. */
  hasManagedEmbeddings(index: string, signal?: AbortSignal): Promise<boolean>;
}

/** The vector search look-ups over one REST client. */
export function vectorSearchApi(rest: Rest): VectorSearch {
  return {
    endpoints: (signal) =>
      items(
        pages((page_token) =>
          rest.request({ path: `${PATH}/endpoints`, query: { page_token }, schema: Endpoints, signal }),
        ),
        ({ endpoints }) => endpoints.map(({ name }) => name),
      ),
    indexes: (endpoint_name, from, signal) =>
      listing(
        (page_token) => {
          const query = { endpoint_name, page_token };
          return rest.request({ path: `${PATH}/indexes`, query, schema: Indexes, signal });
        },
        (page) => page.vector_indexes,
        from,
      ),
    hasManagedEmbeddings: async (index, signal) => {
      const path = `${PATH}/indexes/${encodeURIComponent(index)}`;
      const { delta_sync_index_spec: spec } = await rest.request({ path, schema: IndexDetail, signal });
      return (spec?.embedding_source_columns?.length ?? 0) > 0;
    },
  };
}
