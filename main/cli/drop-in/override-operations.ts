import type { WorkspaceSession } from '../../app/causeway.ts';
import { readBounded } from '../../platform/bounded-file.ts';
import { CausewayError } from '../../platform/errors.ts';
import { syntaxFault } from '../../platform/json-faults.ts';
import { utf8Text } from '../../platform/utf8.ts';
import type { OverrideFields, OverrideRecord } from '../../workspace/overrides.ts';
import { placeOf, sayWhere } from '../changed-where.ts';
import type { CommandContext } from '../command.ts';
import { write, writeLine } from '../terminal.ts';
import { asIndentedJson } from './json-output.ts';

/** The values of the flags. */
export interface OverrideFlags {
  profile: string | undefined;
  warehouseId: string | undefined;
  json: string | undefined;
  allowMissing: boolean;
  name: string | undefined;
  pageSize: number | undefined;
  pageToken: string | undefined;
  limit: number | undefined;
}

const COLLECTION = 'default-warehouse-overrides/';

/** `create-default-warehouse-override DEFAULT_WAREHOUSE_OVERRIDE_ID TYPE`. */
async function create(context: CommandContext, [id = '', type]: string[], flags: OverrideFlags): Promise<void> {
  const fields = await fieldsOf(context, type, flags);
  const [session, { createOverride }] = await Promise.all([
    open(context, flags),
    import('../../warehouses/override-changes.ts'),
  ]);
  await print(context, await createOverride(session.warehouses.operations, idOf(id), fields, context.signal));
  await sayWhere(context, await placeOf(context, session));
}

/** `get-default-warehouse-override NAME`. */
async function get(context: CommandContext, [name = '']: string[], flags: OverrideFlags): Promise<void> {
  const { operations } = (await open(context, flags)).warehouses;
  await print(context, await operations.get(idOf(name), context.signal));
}

/** `update-default-warehouse-override NAME UPDATE_MASK TYPE`. */
async function update(
  context: CommandContext,
  [name = '', mask = '', type]: string[],
  flags: OverrideFlags,
): Promise<void> {
  const fields = await fieldsOf(context, type, flags);
  const [session, { updateOverride }] = await Promise.all([
    open(context, flags),
    import('../../warehouses/override-changes.ts'),
  ]);
  const how = { mask, allowMissing: flags.allowMissing || undefined };
  await print(context, await updateOverride(session.warehouses.operations, idOf(name), fields, how, context.signal));
  await sayWhere(context, await placeOf(context, session));
}

/** `list-default-warehouse-overrides`. */
async function list(context: CommandContext, _args: string[], flags: OverrideFlags): Promise<void> {
  const { operations } = (await open(context, flags)).warehouses;
  const { pageSize, pageToken, limit = 0 } = flags;
  if (limit < 0) throw new CausewayError('usage', `--limit must be a non-negative integer, got ${limit}`);
  // The opening bracket is written with the first record, so a refused list prints nothing.
  let count = 0;
  for await (const record of operations.list(context.signal, pageSize, pageToken)) {
    const text = asJson(record).replaceAll('\n', '\n  ');
    await write(context.stdout, `${count === 0 ? '[\n  ' : ',\n  '}${text}`);
    count += 1;
    if (limit > 0 && count >= limit) break;
  }
  await write(context.stdout, `${count === 0 ? '[\n  ' : ''}\n]\n`);
}

/** `delete-default-warehouse-override NAME`: prints nothing. Having none is a failure, as with the original. */
async function remove(context: CommandContext, [name = '']: string[], flags: OverrideFlags): Promise<void> {
  const id = idOf(name);
  const [session, { deleteOverride }] = await Promise.all([
    open(context, flags),
    import('../../warehouses/override-changes.ts'),
  ]);
  await deleteOverride(session.warehouses.operations, id, context.signal);
  await sayWhere(context, await placeOf(context, session));
}

function open(context: CommandContext, { profile }: OverrideFlags): Promise<WorkspaceSession> {
  return context.causeway().open(profile);
}

/** The fields from `--json` take precedence over the flags. */
async function fieldsOf(
  context: CommandContext,
  type: string | undefined,
  { warehouseId, json, name: nameFlag }: OverrideFlags,
): Promise<OverrideFields> {
  const { fields, unknown } = json === undefined ? NO_BODY : await readBody(json);
  for (const name of unknown) await writeLine(context.stderr, `Warning: unknown field: ${name}`);
  const { warehouse_id = warehouseId, name = nameFlag } = fields;
  return {
    type: fields.type ?? type ?? '',
    ...(warehouse_id === undefined ? {} : { warehouse_id }),
    ...(name === undefined ? {} : { name }),
  };
}

const NO_BODY = { fields: {} as Partial<OverrideFields>, unknown: [] as string[] };

async function print(context: CommandContext, record: OverrideRecord): Promise<void> {
  await write(context.stdout, `${asJson(record)}\n`);
}

/** The four fields that the original knows, in its order. */
function asJson({ default_warehouse_override_id, name, type, warehouse_id }: OverrideRecord): string {
  return asIndentedJson({ default_warehouse_override_id, name, type, warehouse_id });
}

/** `me`, a numeric id, or the full name of an override. */
function idOf(text: string): string {
  const id = text.startsWith(COLLECTION) ? text.slice(COLLECTION.length) : text;
  if (id === 'me' || /^\d+$/.test(id)) return id;
  throw new CausewayError('usage', `"${text}" is not the name of an override.`, {
    remedy: `Use ${COLLECTION}me, or ${COLLECTION} with a numeric user id.`,
  });
}

/** The subcommands by the names of their operations. */
export const OPERATIONS = { create, get, update, list, remove };

/** The fields of a request body, and the names of those that have no meaning here. */
interface RequestBody {
  fields: Partial<OverrideFields>;
  unknown: string[];
}

/** The fields of the record that can be written. Fields that only the workspace sets are ignored. */
const WRITABLE = ['type', 'warehouse_id', 'name'] as const;
const OUTPUT_ONLY = new Set(['default_warehouse_override_id']);

/**
 * The body that `--json BODY` or `--json @FILE` gives.
 * @throws {CausewayError} `usage` for what is no JSON object of texts
 */
async function readBody(argument: string): Promise<RequestBody> {
  const text = argument.startsWith('@') ? await fileText(argument.slice(1)) : argument;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    const { line, column, what } = await syntaxFault(text);
    const place = `${sourceOf(argument)}:${line}:${column}`;
    throw new CausewayError('usage', `error decoding JSON at ${place}: ${what}`, { cause });
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const received = Array.isArray(body) ? 'sequence' : body === null ? 'nil' : typeof body;
    throw new CausewayError('usage', `Invalid command input: expected JSON object, received ${received}`);
  }
  return requestBody(new Map<string, unknown>(Object.entries(body)));
}

function requestBody(entries: ReadonlyMap<string, unknown>): RequestBody {
  const fields: RequestBody['fields'] = {};
  for (const name of WRITABLE) {
    const value = entries.get(name);
    if (value === undefined || value === null) continue;
    if (typeof value === 'object') throw new CausewayError('usage', `expected string at ${name}, found an object`);
    fields[name] = String(value);
  }
  const isKnown = (name: string) => WRITABLE.some((each) => each === name) || OUTPUT_ONLY.has(name);
  return { fields, unknown: [...entries.keys()].filter((name) => !isKnown(name)) };
}

function sourceOf(argument: string): string {
  return argument.startsWith('@') ? argument.slice(1) : '(inline)';
}

async function fileText(path: string): Promise<string> {
  try {
    return utf8Text(path, await readBounded(path, 'given'));
  } catch (cause) {
    if (cause instanceof CausewayError) throw cause;
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'not readable';
    const words = reason === 'ENOENT' ? 'no such file or directory' : reason;
    throw new CausewayError('usage', `read ${path}: open ${path}: ${words}`, { cause });
  }
}
