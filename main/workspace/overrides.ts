import { z } from 'zod';
import { CausewayError } from '../platform/errors.ts';
import { items } from './paging.ts';
import type { Rest } from './rest.ts';

const PATH = '/api/warehouses/v1/default-warehouse-overrides';
const PAGE_SIZE = 1000;

const COLLECTION = 'default-warehouse-overrides/';

const Fields = z.looseObject({
  name: z.string().optional(),
  default_warehouse_override_id: z.string().optional(),
  /** `CUSTOM`, `LAST_SELECTED`, or a word that is newer than this. */
  type: z.string(),
  warehouse_id: z.string().optional(),
});
/** The name and the id say the same, and a workspace may leave one of them out. */
const Record = Fields.refine(({ name, default_warehouse_override_id: id }) => name || id, 'no name').transform(
  ({ name, default_warehouse_override_id: id, ...rest }): OverrideRecord => ({
    ...rest,
    name: name || `${COLLECTION}${id}`,
    default_warehouse_override_id: id || ownerIn(name ?? ''),
  }),
);
/** What a change answers is not documented: the record, or nothing. */
const Changed = z.union([z.strictObject({}).transform(() => null), Record]);
const List = z.looseObject({
  default_warehouse_overrides: z.array(Record).default([]),
  next_page_token: z.string().optional(),
});

/** The record as the workspace keeps it (spec/default-warehouse-override.md › Default warehouse override). */
export interface OverrideRecord {
  name: string;
  default_warehouse_override_id?: string | undefined;
  type: string;
  warehouse_id?: string | undefined;
}

/** What a create or an update sets. `warehouse_id` is required with `CUSTOM`. */
export interface OverrideFields {
  type: string;
  warehouse_id?: string | undefined;
  /** Sent where a command is given it. The workspace names overrides itself. */
  name?: string | undefined;
}

export interface UpdateOptions {
  /** `*`, or field names joined with commas. */
  mask: string;
  allowMissing?: boolean | undefined;
}

/** The numeric user id that a record belongs to. */
export function ownerOf({ default_warehouse_override_id: id, name }: OverrideRecord): string {
  return id ?? ownerIn(name);
}

function ownerIn(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** The five operations on overrides (spec/default-warehouse-override.md › Endpoints). An id is `me` or a numeric user id. */
export function overridesApi(rest: Rest) {
  return {
    /** Gives the record as the answer has it; null if it has none. */
    create: (id: string, fields: OverrideFields, signal?: AbortSignal) =>
      rest.request({
        method: 'POST',
        path: PATH,
        query: { default_warehouse_override_id: checked(id) },
        body: fields,
        schema: Changed,
        signal,
      }),
    get: (id: string, signal?: AbortSignal) => rest.request({ path: pathOf(id), schema: Record, signal }),
    /** Gives the record as the answer has it; null if it has none. */
    update: (id: string, fields: OverrideFields, { mask, allowMissing }: UpdateOptions, signal?: AbortSignal) =>
      rest.request({
        method: 'PATCH',
        path: pathOf(id),
        query: { update_mask: mask, allow_missing: allowMissing },
        body: fields,
        schema: Changed,
        idempotent: true,
        signal,
      }),
    delete: async (id: string, signal?: AbortSignal): Promise<void> => {
      await rest.request({ method: 'DELETE', path: pathOf(id), schema: z.unknown(), idempotent: true, signal });
    },
    /** Every user's override, for admins, page by page as it is consumed. */
    list: (signal?: AbortSignal, pageSize = PAGE_SIZE, pageToken?: string) =>
      items(
        rest,
        { path: PATH, query: { page_size: pageSize, page_token: pageToken }, schema: List, signal },
        (page) => page.default_warehouse_overrides,
      ),
  };
}

const pathOf = (id: string) => `${PATH}/${checked(id)}`;

/** Ids are never parsed as numbers (they exceed 2^53), and never reach a path unless they are one. */
function checked(id: string): string {
  if (id === 'me' || /^\d+$/.test(id)) return id;
  throw new CausewayError('invalid_argument', `"${id}" is not an override id.`, {
    remedy: 'Use "me" or a numeric user ID.',
  });
}
