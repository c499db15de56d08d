import { CausewayError, sentences } from '../platform/errors.ts';
import { inOneLine } from '../words/failure.ts';
import { IN_DOUBT, WorkspaceError } from '../workspace/errors.ts';
import type { OverrideFields, OverrideRecord, UpdateOptions } from '../workspace/overrides.ts';
import { finished, lookAfterwards } from './lost-answers.ts';
import { isMissing, type OverrideOperations } from './override-operations.ts';

/** What the workspace holds after a change. */
export interface StoredOverride {
  /** As read back; where that failed, as the change itself answered or, if it answered nothing, as it was asked for. */
  record: OverrideRecord;
  /** Why the record could not be read back, if it could not. */
  unverified?: string;
}

/**
 * Makes an override what is asked for, whether there is one or not, and reads back what was stored. `id` is `me` or a
 * numeric user id.
 * @throws {CausewayError} `conflict` if something else was stored; whatever the change failed with, and then, if it may
 * have been made anyway, with what the workspace holds now
 */
export async function setOverride(
  operations: OverrideOperations,
  id: string,
  fields: OverrideFields,
  signal?: AbortSignal,
): Promise<StoredOverride> {
  let answered: OverrideRecord | null;
  try {
    answered = await operations.update(id, fields, { mask: '*', allowMissing: true }, signal);
  } catch (error) {
    const now = await lookAfterwards(error, (late) => operations.find(id, late));
    if (now !== null && holds(now, fields)) return finished({ record: now }, error);
    throw unfinished(error, now);
  }
  let record: OverrideRecord | null;
  try {
    record = await operations.find(id, signal);
  } catch (error) {
    const unverified = `The change was saved, but could not be read back. ${inOneLine(error)}`;
    return { record: answered ?? { ...fields, name: `default-warehouse-overrides/${id}` }, unverified };
  }
  if (record !== null && holds(record, fields)) return { record };
  throw changedMeanwhile(record);
}

/** Creates an override if there is none. @throws {CausewayError} `already_exists`, and as `setOverride` */
export async function createOverride(
  operations: OverrideOperations,
  id: string,
  fields: OverrideFields,
  signal?: AbortSignal,
): Promise<OverrideRecord> {
  let answered: OverrideRecord | null;
  try {
    answered = await operations.create(id, fields, signal);
  } catch (error) {
    const now = await lookAfterwards(error, (late) => operations.find(id, late));
    if (now !== null && holds(now, fields)) return finished(now, error);
    throw unfinished(error, now);
  }
  return answered ?? readBack(operations, id, fields, signal);
}

/** The plain update: gives the record as it answered, or as it is read back where the answer has none. */
export async function updateOverride(
  operations: OverrideOperations,
  id: string,
  fields: OverrideFields,
  options: UpdateOptions,
  signal?: AbortSignal,
): Promise<OverrideRecord> {
  const answered = await operations.update(id, fields, options, signal);
  const isWhole = options.mask === '*' || options.mask.includes(',');
  return answered ?? readBack(operations, id, isWhole ? fields : {}, signal);
}

/** The record after a change that answered nothing. @throws {CausewayError} `conflict` if it is not what was asked for */
async function readBack(
  operations: OverrideOperations,
  id: string,
  fields: Partial<OverrideFields>,
  signal?: AbortSignal,
): Promise<OverrideRecord> {
  const record = await operations.find(id, signal).catch((error: unknown) => {
    const message = `The change was accepted, but could not be read back. ${inOneLine(error)}`;
    throw error instanceof WorkspaceError ? error.rephrased(error.code, message, 'Check the override again.') : error;
  });
  if (record !== null && (fields.type === undefined || holds(record, { ...fields, type: fields.type }))) return record;
  throw changedMeanwhile(record);
}

/** Removes an override. Having none is success: `had-none`. @throws {CausewayError} as `setOverride` */
export async function clearOverride(
  operations: OverrideOperations,
  id: string,
  signal?: AbortSignal,
): Promise<'cleared' | 'had-none'> {
  try {
    await deleteOverride(operations, id, signal);
    return 'cleared';
  } catch (error) {
    if (isMissing(error)) return 'had-none';
    throw error;
  }
}

/** Removes an override. @throws {CausewayError} `not_found` if there is none, and as `setOverride` */
export async function deleteOverride(operations: OverrideOperations, id: string, signal?: AbortSignal): Promise<void> {
  try {
    await operations.delete(id, signal);
  } catch (error) {
    // Missing after an attempt whose answer was lost: that attempt deleted it.
    if (isMissing(error) && error instanceof WorkspaceError && error.mayHaveRun) return;
    if (isMissing(error)) throw error;
    const now = await lookAfterwards(error, (late) => operations.find(id, late));
    if (now === null) return finished(undefined, error);
    throw unfinished(error, now);
  }
  // The answer to a deletion holds nothing that could be checked.
  const record = await operations.find(id, signal).catch((error: unknown) => {
    const message = `The override was removed, but this could not be checked. ${inOneLine(error)}`;
    throw error instanceof WorkspaceError ? error.rephrased(error.code, message, 'Check the override again.') : error;
  });
  if (record !== null) throw changedMeanwhile(record);
}

function changedMeanwhile(record: OverrideRecord | null): CausewayError {
  const message = `The change was accepted, but the workspace now has ${describeOverride(record)}.`;
  const remedy = 'Someone else may have changed it at the same time. Check it and try again.';
  return new CausewayError('conflict', message, { remedy });
}

function unfinished(error: unknown, now: OverrideRecord | null): unknown {
  if (!(error instanceof WorkspaceError)) return error;
  const held = describeOverride(now);
  const message = sentences(error.message, `The change was not made: the workspace has ${held}.`);
  return error.rephrased(error.code, message, error.remedy?.replace(IN_DOUBT, 'Try again.') ?? 'Try again.');
}

function holds(record: OverrideRecord, fields: OverrideFields): boolean {
  if (record.type !== fields.type) return false;
  return fields.type !== 'CUSTOM' || record.warehouse_id === fields.warehouse_id;
}

/** An override in a few words, for messages. `nameOf` says what a warehouse is called, by its id. */
export function describeOverride(record: OverrideRecord | null, nameOf = (id: string) => `warehouse ${id}`): string {
  if (record === null) return 'no override';
  const { type, warehouse_id: id } = record;
  if (type === 'LAST_SELECTED') return 'an override to the last selected warehouse (LAST_SELECTED)';
  const which = type === 'CUSTOM' ? 'an override' : `an override of type ${type}`;
  return id ? `${which} for ${nameOf(id)}` : which;
}
