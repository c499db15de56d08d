import { CausewayError } from '../platform/errors.ts';
import type { RestClient } from '../workspace/client.ts';
import { WorkspaceError } from '../workspace/errors.ts';
import type { OverrideFields, OverrideRecord, UpdateOptions } from '../workspace/overrides.ts';
import type { Warehouses } from '../workspace/warehouses.ts';
import { isGone } from './heuristic.ts';
import { inOverrideWords, type OverrideAttempt, warehouseGone } from './override-words.ts';

/** How long is spent on finding out what a refusal was about, in milliseconds. */
const LOOK_MILLIS = 10_000;

/** The override API with its errors in words (spec/default-warehouse-override.md › Endpoints). */
export interface OverrideOperations {
  create(id: string, fields: OverrideFields, signal?: AbortSignal): Promise<OverrideRecord>;
  get(id: string, signal?: AbortSignal): Promise<OverrideRecord>;
  update(id: string, fields: OverrideFields, options: UpdateOptions, signal?: AbortSignal): Promise<OverrideRecord>;
  /** The plain deletion: having none is an error here. */
  delete(id: string, signal?: AbortSignal): Promise<void>;
  list(signal?: AbortSignal, pageSize?: number): AsyncGenerator<OverrideRecord>;
  /** As `get`, with `null` for no override. */
  find(id: string, signal?: AbortSignal): Promise<OverrideRecord | null>;
}

/** Override operations over one workspace's REST client. */
export function overrideOperations(client: Pick<RestClient, 'overrides' | 'warehouses'>): OverrideOperations {
  const { overrides } = client;

  const attempt = async <T>(attempted: OverrideAttempt, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw inOverrideWords(error, attempted);
    }
  };
  const write = (attempted: OverrideAttempt, fields: OverrideFields, run: () => Promise<OverrideRecord>) =>
    attempt(attempted, async () => {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw error;
        throw (await namesMissingWarehouse(client.warehouses, error, fields.warehouse_id))
          ? warehouseGone(error, fields.warehouse_id ?? '')
          : error;
      }
    });

  const operations: OverrideOperations = {
    create: (id, fields, signal) =>
      write({ operation: 'create', id }, fields, () => overrides.create(id, fields, signal)),
    get: (id, signal) => attempt({ operation: 'get', id }, () => overrides.get(id, signal)),
    update: (id, fields, options, signal) =>
      write({ operation: 'update', id, allowMissing: options.allowMissing }, fields, () =>
        overrides.update(id, fields, options, signal),
      ),
    delete: (id, signal) => attempt({ operation: 'delete', id }, () => overrides.delete(id, signal)),
    list: async function* (signal, pageSize) {
      try {
        yield* overrides.list(signal, pageSize);
      } catch (error) {
        throw inOverrideWords(error, { operation: 'list', id: '' });
      }
    },
    find: (id, signal) =>
      operations.get(id, signal).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      }),
  };
  return operations;
}

/** Whether an operation failed because what it was about is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof CausewayError && error.code === 'not_found';
}

/** A refusal says seldom, and nowhere documented, that it is about the warehouse: so the warehouse itself is asked. */
async function namesMissingWarehouse(
  warehouses: Warehouses,
  error: unknown,
  warehouseId: string | undefined,
): Promise<boolean> {
  if (!(error instanceof WorkspaceError) || !warehouseId) return false;
  if (error.code !== 'invalid_argument' && error.code !== 'not_found') return false;
  try {
    return isGone((await warehouses.get(warehouseId, AbortSignal.timeout(LOOK_MILLIS))).state);
  } catch (cause) {
    return isMissing(cause);
  }
}
