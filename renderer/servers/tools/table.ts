/** Rows and columns, as far as an answer has them. */
export interface Table {
  columns: string[];
  rows: string[][];
}

/**
 * The table in an answer, in the shapes that managed servers use: columns with rows, a manifest with a result
 * (SQL has rows of tagged values, vector search plain ones), or a list of objects.
 */
export function tableIn(value: unknown): Table | undefined {
  if (Array.isArray(value)) return tableOfObjects(value);
  if (!isObject(value)) return undefined;
  const manifest = isObject(value.manifest) ? value.manifest : {};
  const schema = isObject(manifest.schema) ? manifest.schema : manifest;
  const result = isObject(value.result) ? value.result : {};
  const columns = namesIn(value.columns) ?? namesIn(schema.columns);
  const rows = listIn(value.rows) ?? listIn(result.data_array) ?? listIn(result.data_typed_array);
  if (rows && columns && columns.length > 0) return { columns, rows: rows.map((row) => cellsIn(row, columns)) };
  return rows && tableOfObjects(rows);
}

function tableOfObjects(items: unknown[]): Table | undefined {
  if (items.length === 0 || !items.every(isObject)) return undefined;
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
  return { columns, rows: items.map((item) => columns.map((column) => cell(item[column]))) };
}

function cellsIn(row: unknown, columns: readonly string[]): string[] {
  const values = isObject(row) && Array.isArray(row.values) ? row.values : row;
  if (Array.isArray(values)) return columns.map((_, place) => cell(untagged(values[place])));
  return columns.map((column) => cell(isObject(values) ? values[column] : undefined));
}

/** `{ string_value: 'x' }` says its type beside its value. */
function untagged(value: unknown): unknown {
  if (!isObject(value)) return value;
  if ('null_value' in value) return null;
  const tags = Object.keys(value).filter((key) => key.endsWith('_value') || key === 'str');
  const [tag] = tags;
  return tags.length === 1 && tag !== undefined ? value[tag] : value;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function namesIn(columns: unknown): string[] | undefined {
  return listIn(columns)?.map((column) => (isObject(column) ? String(column.name ?? '') : String(column)));
}

function listIn(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
