import { createHash } from 'node:crypto';
import type { Call, Route } from '../http.ts';
import { RestFault, type VectorIndex } from '../model.ts';
import { pageOf, pageSize } from './paging.ts';

/** Look-ups of vector search endpoints and their indexes; an index shows to those with a grant on its schema. */

const BASE = '/api/2.0/vector-search';
const MAX_PAGE = 100;
const SCOPES = ['vector-search', 'ai-search'];

export const vectorSearchRoutes: Route[] = [
  { method: 'GET', path: `${BASE}/endpoints`, query: ['page_size', 'page_token'], scopes: SCOPES, handle: endpoints },
  {
    method: 'GET',
    path: `${BASE}/indexes`,
    query: ['endpoint_name', 'page_size', 'page_token'],
    scopes: SCOPES,
    handle: indexes,
  },
  { method: 'GET', path: `${BASE}/indexes/:name`, scopes: SCOPES, handle: index },
];

function endpoints(call: Call): unknown {
  const names = [...new Set(call.state.vectorIndexes.map(({ endpointName }) => endpointName))];
  return answer(call, 'endpoints', names, (name) => ({
    name,
    id: createHash('sha256').update(name).digest('hex').slice(0, 32),
    endpoint_type: 'STANDARD',
    endpoint_status: { state: 'ONLINE' },
    num_indexes: call.state.vectorIndexes.filter(({ endpointName }) => endpointName === name).length,
  }));
}

function indexes(call: Call): unknown {
  const endpoint = call.query.get('endpoint_name');
  if (!endpoint) throw new RestFault(400, 'INVALID_PARAMETER_VALUE', 'Missing required parameter: endpoint_name');
  const onEndpoint = call.state.vectorIndexes.filter(({ endpointName }) => endpointName === endpoint);
  if (onEndpoint.length === 0) throw notFound(`Vector search endpoint ${endpoint} does not exist.`);
  return answer(call, 'vector_indexes', onEndpoint, (item) => (sees(call, item) ? summary(item) : undefined));
}

function index(call: Call): unknown {
  const name = call.params.name ?? '';
  const found = call.state.vectorIndexes.find((item) => item.name === name);
  if (!found) throw notFound(`Vector index ${name} does not exist.`);
  if (!sees(call, found)) {
    throw new RestFault(403, 'PERMISSION_DENIED', `You do not have permission to use the vector index ${name}.`);
  }
  const column = found.selfManaged
    ? { embedding_vector_columns: [{ name: found.embeddingColumn, embedding_dimension: 1024 }] }
    : { embedding_source_columns: [{ name: found.embeddingColumn, embedding_model_endpoint_name: 'text-embedding' }] };
  return {
    ...summary(found),
    delta_sync_index_spec: { source_table: found.sourceTable, pipeline_type: 'TRIGGERED', ...column },
    status: { ready: true, message: 'The index is ready.' },
  };
}

function summary(item: VectorIndex): Record<string, unknown> {
  return {
    name: item.name,
    endpoint_name: item.endpointName,
    index_type: 'DELTA_SYNC',
    primary_key: item.primaryKey,
    creator: 'ana@example.com',
  };
}

function answer<T>(call: Call, name: string, items: T[], show: (item: T) => unknown): unknown {
  const size = pageSize(call, 'page_size', call.features.chosenPageSize, MAX_PAGE);
  const page = pageOf(items, size, call.query.get('page_token'));
  return {
    [name]: page.items.map(show).filter((item) => item !== undefined),
    ...(page.nextPageToken && { next_page_token: page.nextPageToken }),
  };
}

function sees(call: Call, item: VectorIndex): boolean {
  const [catalog, schema] = item.name.split('.');
  const found = call.state.schemas.find((candidate) => candidate.catalog === catalog && candidate.schema === schema);
  return found !== undefined && call.state.isGranted(call.principal.user, found.grantedTo);
}

function notFound(message: string): RestFault {
  return new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', message);
}
