import { basename } from 'node:path';
import type { overridesRequests } from '../../../preload/contract/overrides.ts';
import type { WantedOverride } from '../../../preload/contract.ts';
import type { WarehouseService } from '../../app/causeway.ts';
import { readOverridesFile } from '../../app/overrides-file.ts';
import { CausewayError } from '../../platform/errors.ts';
import { writePieces } from '../../platform/replace-file.ts';
import { type OverrideOwner, overrideRow, type UserOverride } from '../../warehouses/all-overrides.ts';
import type { LineResult } from '../../warehouses/bulk/apply.ts';
import { REPORT_HEADER, reportLine } from '../../warehouses/bulk/apply.ts';
import type { WantedChanges } from '../../warehouses/bulk/carry-out.ts';
import { exportLines, overrideLines } from '../../warehouses/bulk/files.ts';
import { openJournal } from '../../warehouses/bulk/journal-file.ts';
import { wantedLine } from '../../warehouses/bulk/plans.ts';
import type { StoredOverride } from '../../warehouses/override-changes.ts';
import type { DesktopContext, HandlersOf } from '../context.ts';
import { BulkChange, type BulkWork } from './bulk-change.ts';
import { OverridesReading } from './override-list.ts';
import { strings } from './strings.ts';

const CSV = { name: 'CSV', extensions: ['csv'] };
const JSON_LIST = { name: 'JSON', extensions: ['json'] };

/** Answers an admin's requests about the overrides of all users: the list, single changes, and bulk changes. */
export function overridesHandlers(context: DesktopContext): HandlersOf<typeof overridesRequests> {
  const { model, shell, emit } = context;
  const reading = new OverridesReading(context);
  let bulk: BulkChange | undefined;
  context.onClose(() => {
    reading.close();
    bulk?.close();
  });

  const plan = async (profile: string, work: BulkWork) => {
    bulk?.close();
    const begun = new BulkChange(work, () => {
      if (bulk === begun) emit('bulkChanged', begun.state);
    });
    bulk = begun;
    await model.using(profile, (warehouses) => begun.plan(warehouses));
  };
  const isOwn = (userId: string) => {
    const { warehouse } = model.state;
    return warehouse.status === 'known' && warehouse.effective.user.id === userId;
  };

  return {
    readOverrides: async ({ profile, anew }) => reading.read(profile, anew),
    stopReading: async () => void reading.stop(),
    overridesPage: async ({ profile, query, from, count }) => reading.page(profile, query, from, count),
    overrideIds: async ({ profile, query }) => reading.find(profile, query).map(({ userId }) => userId),
    checkAccess: async ({ profile }) => void (await reading.checkAccess(profile)),
    findUsers: ({ profile, text }) => model.using(profile, (warehouses) => warehouses.findUsers(text)),
    overrideOf: ({ profile, userId }) =>
      model.using(profile, async ({ operations, list }) => {
        const record = await operations.find(userId);
        if (record === null) return null;
        const { type, warehouse_id: warehouseId = null } = record;
        const target = warehouseId === null ? undefined : (await list()).find(({ id }) => id === warehouseId);
        return { type, warehouseId, warehouseName: target?.name ?? null };
      }),
    canUserUse: ({ profile, userId, warehouseId }) =>
      model.using(profile, (warehouses) => warehouses.canUse(userId, warehouseId)),
    setOverrideOf: async ({ profile, user, wanted }) => {
      const set = async (warehouses: WarehouseService) => {
        const { row, changed } = await changeOverride(
          warehouses,
          { ...user, ...reading.ownerOf(profile, user.id) },
          wanted,
        );
        reading.show(profile, user.id, row);
        return changed;
      };
      // A change of the user's own override also updates the Warehouse screen.
      await (isOwn(user.id) ? model.change(profile, set) : model.using(profile, set));
    },
    planForSelected: async ({ profile, userIds, wanted }) => {
      const lines = userIds.map((userId, at) => wantedLine(at + 1, userId, wanted));
      const source = strings.users(userIds.length);
      const origin = { kind: 'selection', source, sha256: null } as const;
      await plan(profile, changesFrom(source, { lines, faults: [], origin }));
    },
    planImport: async ({ profile }) => {
      const path = await shell.chooseFileToOpen({
        title: strings.importTitle,
        name: '',
        kinds: [{ name: strings.csvOrJson, extensions: ['csv', 'tsv', 'txt', 'json'] }],
      });
      if (path === null) return false;
      const { name, file } = await readImportFile(path);
      await plan(profile, changesFrom(name, file));
      return true;
    },
    planAgain: async ({ profile }) => {
      if (bulk) await plan(profile, bulk.work);
    },
    planUndo: async ({ profile }) => {
      const { journal: id, source } = bulk?.state ?? { journal: null, source: '' };
      if (id === null) throw new CausewayError('conflict', 'There is nothing to undo.');
      const journal = await openJournal(context.env, id);
      await plan(profile, {
        source,
        origin: { kind: 'undo', source: id, sha256: null },
        plan: (warehouses, signal) => warehouses.planUndo(journal, signal),
      });
    },
    getBulk: async () => bulk?.state ?? null,
    bulkPage: async ({ only, from, count }) => bulk?.page(only, from, count) ?? { total: 0, rows: [] },
    leaveOut: async ({ line, isLeftOut }) => void bulk?.leaveOut(line, isLeftOut),
    applyBulk: async ({ profile }) => {
      const done = await model.using(profile, async (warehouses) => {
        const results = (await bulk?.apply(warehouses)) ?? [];
        const nameOf = (userId: string) => reading.ownerOf(profile, userId);
        for (const [userId, row] of await rowsAfter(results, warehouses, nameOf)) reading.show(profile, userId, row);
        return results;
      });
      const own = model.state.profile === profile && done.some(({ planned }) => isOwn(planned.userId));
      if (own) await model.change(profile, async () => done);
    },
    cancelBulk: async () => void bulk?.cancel(),
    dismissBulk: async () => {
      bulk?.close();
      bulk = undefined;
      emit('bulkChanged', null);
    },
    saveBulkReport: async () => {
      const results = bulk?.results ?? [];
      const offer = { title: strings.reportTitle, name: 'override-changes.csv', kinds: [CSV] };
      const file = await shell.chooseFileToSave(offer);
      if (file === null) return null;
      await writePieces(file, pieces([REPORT_HEADER, ...results.map(reportLine)]));
      return { file, count: results.length };
    },
    exportOverrides: async ({ profile, query }) => {
      const rows = reading.find(profile, query);
      const offer = { title: strings.exportTitle, name: 'overrides.csv', kinds: [CSV, JSON_LIST] };
      const file = await shell.chooseFileToSave(offer);
      if (file === null) return null;
      await writePieces(file, isJson(file) ? overrideLines(rows) : exportLines(pieces(rows)));
      return { file, count: rows.length };
    },
  };
}

function changesFrom(source: string, { origin, ...wanted }: WantedChanges): BulkWork {
  return { source, origin, plan: (warehouses, signal) => warehouses.planImport(wanted, {}, signal) };
}

const isJson = (file: string) => file.toLowerCase().endsWith('.json');

async function* pieces<T>(all: Iterable<T>): AsyncGenerator<T> {
  yield* all;
}

/** What a chosen file says. @throws {CausewayError} as `readOverridesFile`, and `invalid_file` if it says nothing */
async function readImportFile(path: string): Promise<{ name: string; file: WantedChanges }> {
  const name = basename(path);
  const file = await readOverridesFile(path, name);
  if (file.lines.length + file.faults.length > 0) return { name, file };
  throw new CausewayError('invalid_file', `${name} contains no overrides.`, {
    remedy: 'Export the overrides to get a file in the right format.',
  });
}

/** Changes one user's override. Returns what was stored, and the row to show; null if the user has no override now. */
async function changeOverride(
  warehouses: WarehouseService,
  user: OverrideOwner,
  wanted: WantedOverride,
): Promise<{ changed: StoredOverride | 'cleared' | 'had-none'; row: UserOverride | null }> {
  const changed = await warehouses.change(user.id, wanted);
  const { type } = wanted;
  if (type === 'NONE') return { changed, row: null };
  const warehouseId = type === 'CUSTOM' ? wanted.warehouseId : null;
  if (warehouseId === null) return { changed, row: overrideRow(user, { type, warehouseId }, undefined, 'unchecked') };
  const [all, canUse] = await Promise.all([warehouses.list(), warehouses.canUse(user.id, warehouseId)]);
  const warehouse = all.find(({ id }) => id === warehouseId);
  return { changed, row: overrideRow(user, { type, warehouseId }, warehouse, canUse) };
}

/** The rows to show after many changes; null if the user has no override now. */
async function rowsAfter(
  results: readonly LineResult[],
  warehouses: WarehouseService,
  nameOf: (userId: string) => OverrideOwner | undefined,
): Promise<[userId: string, row: UserOverride | null][]> {
  const byId = new Map((await warehouses.list()).map((warehouse) => [warehouse.id, warehouse]));
  return results.map(({ planned }) => {
    const { userId, userName } = planned;
    if (!('fields' in planned)) return [userId, null];
    const user = nameOf(userId) ?? { id: userId, userName, displayName: userName };
    const { type, warehouse_id: warehouseId = null } = planned.fields;
    return [
      userId,
      overrideRow(user, { type, warehouseId }, byId.get(warehouseId ?? ''), planned.canUse ?? 'unchecked'),
    ];
  });
}
