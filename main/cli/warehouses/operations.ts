import { CausewayError } from '../../platform/errors.ts';
import type { OverrideOperations } from '../../warehouses/override-operations.ts';
import type { CommandContext } from '../command.ts';
import { writeJson, writeJsonArray, writeLine } from '../print.ts';

interface Options {
  profile?: string;
  warehouseId?: string;
  allowMissing?: boolean;
}

const COLLECTION = 'default-warehouse-overrides/';

/** `create-default-warehouse-override USER_ID TYPE`. */
export async function create(context: CommandContext, id: string, type: string, options: Options): Promise<void> {
  const [operations, { createOverride }] = await Promise.all([
    open(context, options),
    import('../../warehouses/override-changes.ts'),
  ]);
  await writeJson(context.stdout, await createOverride(operations, idOf(id), fieldsOf(type, options), context.signal));
}

/** `get-default-warehouse-override NAME`. */
export async function get(context: CommandContext, name: string, options: Options): Promise<void> {
  const operations = await open(context, options);
  await writeJson(context.stdout, await operations.get(idOf(name), context.signal));
}

/** `update-default-warehouse-override NAME FIELD_MASK TYPE`. */
export async function update(
  context: CommandContext,
  name: string,
  mask: string,
  type: string,
  options: Options,
): Promise<void> {
  const operations = await open(context, options);
  const how = { mask, allowMissing: options.allowMissing };
  await writeJson(context.stdout, await operations.update(idOf(name), fieldsOf(type, options), how, context.signal));
}

/** `list-default-warehouse-overrides`. */
export async function list(context: CommandContext, options: Options): Promise<void> {
  const operations = await open(context, options);
  await writeJsonArray(context.stdout, operations.list(context.signal));
}

/** `delete-default-warehouse-override NAME`: prints nothing, as the original; having none is success. */
export async function remove(context: CommandContext, name: string, options: Options): Promise<void> {
  const [operations, { clearOverride }] = await Promise.all([
    open(context, options),
    import('../../warehouses/override-changes.ts'),
  ]);
  const outcome = await clearOverride(operations, idOf(name), context.signal);
  if (outcome === 'had-none') await writeLine(context.stderr, 'causeway: there was no override to delete.');
}

async function open(context: CommandContext, options: Options): Promise<OverrideOperations> {
  return (await context.causeway().open(options.profile)).warehouses.operations;
}

const fieldsOf = (type: string, { warehouseId }: Options) => ({
  type,
  ...(warehouseId === undefined ? {} : { warehouse_id: warehouseId }),
});

/** `me`, a numeric id, or the full name of an override. */
function idOf(text: string): string {
  const id = text.startsWith(COLLECTION) ? text.slice(COLLECTION.length) : text;
  if (id === 'me' || /^\d+$/.test(id)) return id;
  throw new CausewayError('usage', `"${text}" names no default warehouse override.`, {
    remedy: `Use ${COLLECTION}me, or ${COLLECTION} with a numeric user id.`,
  });
}
