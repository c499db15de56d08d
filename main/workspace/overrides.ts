import { z } from 'zod';
import { CausewayError } from '../platform/errors.ts';
import { items } from './paging.ts';
import type { Rest } from './rest.ts';

const PATH = '/api/warehouses/v1/default-warehouse-overrides';
const PAGE_SIZE = 1000;

const Record = z.looseObject({
  name: z.string(),
  default_warehouse_override_id: z.string().optional(),
  /** `CUSTOM`, `LAST_SELECTED`, or a word that is newer than this. */
  type: z.string(),
  warehouse_id: z.string().optional(),
});
const List = z.looseObject({
  default_warehouse_overrides: z.array(Record).default([]),
  next_page_token: z.string().optional(),
});

/** The record as the workspace keeps it (spec/default-warehouse-override.md › Default warehouse override). */
export type OverrideRecord = z.infer<typeof Record>;

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
export function ownerOf(record: OverrideRecord): string {
  return record.default_warehouse_override_id ?? record.name.slice(record.name.lastIndexOf('/') + 1);
}

/** The five operations on overrides (spec/default-warehouse-override.md › Endpoints). An id is `me` or a numeric user id. */
export function overridesApi(rest: Rest) {
  return {
    create: (id: string, fields: OverrideFields, signal?: AbortSignal) =>
      rest.request({
        method: 'POST',
        path: PATH,
        query: { default_warehouse_override_id: checked(id) },
        body: fields,
        schema: Record,
        signal,
      }),
    get: (id: string, signal?: AbortSignal) => rest.request({ path: pathOf(id), schema: Record, signal }),
    update: (id: string, fields: OverrideFields, { mask, allowMissing }: UpdateOptions, signal?: AbortSignal) =>
      rest.request({
        method: 'PATCH',
        path: pathOf(id),
        query: { update_mask: mask, allow_missing: allowMissing },
        body: fields,
        schema: Record,
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
