import type { Call, Route } from '../http.ts';
import { type GenieSpace, RestFault } from '../model.ts';
import { pageOf, pageSize } from './paging.ts';

/** Look-ups of Genie spaces: those that the caller may open. */

const BASE = '/api/2.0/genie/spaces';
const MAX_PAGE = 100;

export const genieRoutes: Route[] = [
  { method: 'GET', path: BASE, query: ['page_size', 'page_token'], scopes: ['genie'], handle: list },
  { method: 'GET', path: `${BASE}/:id`, scopes: ['genie'], handle: get },
];

function list(call: Call): unknown {
  const size = pageSize(call, 'page_size', call.features.chosenPageSize, MAX_PAGE);
  const page = pageOf(call.state.genieSpaces, size, call.query.get('page_token'));
  return {
    spaces: page.items.filter((space) => isOpen(call, space)).map(record),
    ...(page.nextPageToken && { next_page_token: page.nextPageToken }),
  };
}

function get(call: Call): unknown {
  const id = call.params.id ?? '';
  const space = call.state.genieSpaces.find(({ spaceId }) => spaceId === id);
  if (!space) throw new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', `Genie space ${id} does not exist.`);
  if (!isOpen(call, space)) {
    throw new RestFault(403, 'PERMISSION_DENIED', `You do not have permission to view the Genie space ${id}.`);
  }
  return record(space);
}

function isOpen(call: Call, space: GenieSpace): boolean {
  return call.state.isGranted(call.principal.user, space.grantedTo);
}

function record(space: GenieSpace): unknown {
  return {
    space_id: space.spaceId,
    title: space.title,
    description: space.description,
    warehouse_id: space.warehouseId,
  };
}
