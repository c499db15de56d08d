import { withoutControls } from '../../platform/display.ts';

/** Members that the window gives back as they are, or that it hands on as data: ids, places, and texts for reading whole. */
const EXACT = new Set([
  'id',
  'warehouseId',
  'userId',
  'profile',
  'path',
  'file',
  'target',
  'uri',
  'url',
  'text',
  'schema',
]);

/**
 * A value for the window in which every text can be shown: names of warehouses, users, servers, tools and clients come from
 * outside, and no screen has to think of that. Line ends stay, for descriptions have them.
 */
export function shownValues(value: unknown, member = ''): unknown {
  if (EXACT.has(member)) return value;
  if (typeof value === 'string') return withoutControls(value.replace(/\r\n?/g, '\n').replaceAll('\t', ' '), true);
  if (Array.isArray(value)) return value.map((item) => shownValues(item, member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shownValues(inner, name)]));
}
