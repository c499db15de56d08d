/** Rows and columns, as far as an answer has them. */
export interface ResultTable {
  columns: ResultColumn[];
  /** Null where the server says that there is no value. */
  rows: (string | null)[][];
  /** The server has left out rows. */
  isTruncated: boolean;
}

export interface ResultColumn {
  name: string;
  /** As the server writes it, such as `DECIMAL(10,2)`; null if it says none. */
  type: string | null;
}

/**
 * The table in an answer, in the shapes that managed servers use: columns with rows, a manifest with a result
 * (SQL has rows of tagged values, vector search plain ones), or a list of objects.
 */
export function tableIn(value: unknown): ResultTable | undefined {
  if (Array.isArray(value)) return tableOfObjects(value);
  if (!isObject(value)) return undefined;
  const manifest = objectIn(value.manifest);
  const schema = isObject(manifest.schema) ? manifest.schema : manifest;
  const result = objectIn(value.result);
  const columns = columnsIn(value.columns) ?? columnsIn(schema.columns);
  const rows = listIn(value.rows) ?? listIn(result.data_array) ?? listIn(result.data_typed_array);
  if (!rows) return undefined;
  if (!columns || columns.length === 0) return tableOfObjects(rows);
  return { columns, rows: rows.map((row) => cellsIn(row, columns)), isTruncated: manifest.truncated === true };
}

function tableOfObjects(items: unknown[]): ResultTable | undefined {
  if (items.length === 0 || !items.every(isObject)) return undefined;
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const rows = items.map((item) => names.map((name) => cell(item[name])));
  return { columns: names.map((name) => ({ name, type: null })), rows, isTruncated: false };
}

function cellsIn(row: unknown, columns: readonly ResultColumn[]): (string | null)[] {
  const values = isObject(row) && Array.isArray(row.values) ? row.values : row;
  if (Array.isArray(values)) return columns.map((_, place) => cell(untagged(values[place])));
  return columns.map(({ name }) => cell(isObject(values) ? values[name] : undefined));
}

/** `{ string_value: 'x' }` says its type beside its value. */
function untagged(value: unknown): unknown {
  if (!isObject(value)) return value;
  if ('null_value' in value) return null;
  const tags = Object.keys(value).filter((key) => key.endsWith('_value') || key === 'str');
  const [tag] = tags;
  return tags.length === 1 && tag !== undefined ? value[tag] : value;
}

function cell(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function columnsIn(columns: unknown): ResultColumn[] | undefined {
  return listIn(columns)?.map((column) =>
    isObject(column)
      ? {
          name: String(column.name ?? ''),
          type: textIn(column.type_text) ?? textIn(column.type_name) ?? textIn(column.type),
        }
      : { name: String(column), type: null },
  );
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function listIn(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function objectIn(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
