import type { everyoneRequests } from '../../../preload/contract/everyone.ts';
import type { WarehouseService } from '../../causeway.ts';
import { jsonArrayLines } from '../../platform/json-array.ts';
import { writePieces } from '../../platform/replace-file.ts';
import { type BulkLine, exportLines } from '../../warehouses/bulk/csv.ts';
import { REPORT_HEADER, reportLine } from '../../warehouses/bulk/report.ts';
import type { DesktopContext } from '../context.ts';
import type { HandlersOf } from '../handlers.ts';
import { BulkChange } from './bulk-change.ts';
import { EveryoneReading } from './everyone.ts';
import { readImportFile } from './import-file.ts';
import { changeOverride, rowsAfter } from './single-change.ts';

const CSV = { name: 'CSV', extensions: ['csv'] };
const JSON_LIST = { name: 'JSON', extensions: ['json'] };

/** What an admin does for everybody: all overrides, single changes, and many at once. */
export function everyoneHandlers(context: DesktopContext): HandlersOf<typeof everyoneRequests> {
  const { model, shell, emit } = context;
  const reading = new EveryoneReading(context);
  let bulk: BulkChange | undefined;
  context.onClose(() => {
    reading.close();
    bulk?.close();
  });

  const plan = async (profile: string, source: string, lines: readonly BulkLine[]) => {
    bulk?.close();
    const begun = new BulkChange(source, lines, () => {
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
    readEveryone: async ({ profile, anew }) => reading.read(profile, anew),
    stopReading: async () => void reading.stop(),
    everyonePage: async ({ profile, query, from, count }) => reading.page(profile, query, from, count),
    everyoneIds: async ({ profile, query }) => reading.find(profile, query).map(({ userId }) => userId),
    checkAccess: async ({ profile }) => void (await reading.checkAccess(profile)),
    findUsers: ({ profile, text }) => model.using(profile, ({ admin }) => admin.findUsers(text)),
    overrideOf: ({ profile, userId }) =>
      model.using(profile, async ({ admin, list }) => {
        const record = await admin.override(userId);
        if (record === null) return null;
        const { type, warehouse_id: warehouseId = null } = record;
        const target = warehouseId === null ? undefined : (await list()).find(({ id }) => id === warehouseId);
        return { type, warehouseId, warehouseName: target?.name ?? null };
      }),
    canUserUse: ({ profile, userId, warehouseId }) =>
      model.using(profile, ({ admin }) => admin.canUse(userId, warehouseId)),
    setOverrideOf: async ({ profile, user, wanted }) => {
      const set = async (warehouses: WarehouseService) => {
        const { row, changed } = await changeOverride(warehouses, user, wanted);
        reading.show(profile, user.id, row);
        return changed;
      };
      // Who changes their own sees it on the first screen too.
      await (isOwn(user.id) ? model.change(profile, set) : model.using(profile, set));
    },
    planForSelected: async ({ profile, userIds, wanted }) => {
      const target = wanted.type === 'CUSTOM' ? wanted.warehouseId : '';
      const lines = userIds.map((user_id, at) => ({
        line: at + 1,
        user_id,
        user_name: '',
        type: wanted.type,
        warehouse_id: target,
        warehouse_name: '',
      }));
      await plan(profile, userIds.length === 1 ? '1 person' : `${userIds.length} people`, lines);
    },
    planImport: async ({ profile }) => {
      const path = await shell.chooseFileToOpen({
        title: 'Import overrides',
        name: '',
        kinds: [{ name: 'CSV or JSON', extensions: ['csv', 'tsv', 'txt', 'json'] }],
      });
      if (path === null) return false;
      const { name, lines } = await readImportFile(path);
      await plan(profile, name, lines);
      return true;
    },
    planAgain: async ({ profile }) => {
      if (bulk) await plan(profile, bulk.source, bulk.lines);
    },
    getBulk: async () => bulk?.state ?? null,
    bulkPage: async ({ only, from, count }) => bulk?.page(only, from, count) ?? { total: 0, rows: [] },
    applyBulk: async ({ profile }) => {
      const done = await model.using(profile, async (warehouses) => {
        const results = (await bulk?.apply(warehouses)) ?? [];
        const nameOf = (userId: string) => reading.personOf(profile, userId);
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
      const offer = { title: 'Save the report', name: 'override-changes.csv', kinds: [CSV] };
      const file = await shell.chooseFileToSave(offer);
      if (file === null) return null;
      await writePieces(file, pieces([REPORT_HEADER, ...results.map(reportLine)]));
      return { file, count: results.length };
    },
    exportEveryone: async ({ profile, query }) => {
      const rows = reading.find(profile, query);
      const offer = { title: 'Export overrides', name: 'overrides.csv', kinds: [CSV, JSON_LIST] };
      const file = await shell.chooseFileToSave(offer);
      if (file === null) return null;
      await writePieces(file, isJson(file) ? jsonArrayLines(rows) : exportLines(pieces(rows)));
      return { file, count: rows.length };
    },
  };
}

const isJson = (file: string) => file.toLowerCase().endsWith('.json');

async function* pieces<T>(all: Iterable<T>): AsyncGenerator<T> {
  yield* all;
}
