import type { ToolAnswer } from '../../../preload/contract.ts';
import layout from '../../shared/layout.module.css';
import { Notice } from '../../shared/notice.tsx';
import { ScrollBox } from '../../shared/scroll-box.tsx';
import { formatRunTime, formatSize } from '../format.ts';
import styles from './tools.module.css';

/** Rows of a table that are shown: the rest is a matter for a real client. */
const MAX_ROWS = 200;

/** A tool's answer: an error as an error, rows as a table, the rest as text or JSON, long ones in a place of their own. */
export function ToolAnswerView({ answer }: { answer: ToolAnswer }) {
  const { isError, durationMs, structured } = answer;
  const texts = answer.parts.filter((part) => part.type !== 'text' || !says(part.text, structured));
  return (
    <div className={layout.stack}>
      <p className={layout.quiet}>
        {isError ? 'The tool answered with an error' : 'Answered'} after {formatRunTime(durationMs)}
      </p>
      {structured !== undefined && structured !== null && <Structured value={structured} isError={isError} />}
      {texts.map((part, place) => (
        // The parts of one answer never change.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Part key={place} part={part} isError={isError} />
      ))}
      {texts.length === 0 && (structured === undefined || structured === null) && <p>The answer is empty.</p>}
    </div>
  );
}

function Structured({ value, isError }: { value: unknown; isError: boolean }) {
  const table = isError ? undefined : tableIn(value);
  if (table) return <Rows table={table} />;
  return <LongText text={JSON.stringify(value, null, 2)} isError={isError} label="The answer as JSON" />;
}

function Part({ part, isError }: { part: ToolAnswer['parts'][number]; isError: boolean }) {
  switch (part.type) {
    case 'link':
      return (
        <p>
          {part.title}: <code>{part.uri}</code>
        </p>
      );
    case 'data':
      return (
        <p>
          {part.mimeType}, {formatSize(part.bytes)}: it cannot be shown here.
        </p>
      );
    case 'text': {
      const json = jsonIn(part.text);
      const table = json === undefined || isError ? undefined : tableIn(json);
      if (table) return <Rows table={table} />;
      const text = json === undefined ? part.text : JSON.stringify(json, null, 2);
      return (
        <>
          <LongText text={text} isError={isError} label="The answer as text" />
          {part.cut > 0 && (
            <p className={layout.quiet}>{part.cut.toLocaleString('en')} more characters are not shown.</p>
          )}
        </>
      );
    }
  }
}

function LongText({ text, isError, label }: { text: string; isError: boolean; label: string }) {
  if (isError && text.length < 500) return <Notice message={text} remedy={null} />;
  return (
    <ScrollBox label={label} className={styles.text}>
      <pre>{text}</pre>
    </ScrollBox>
  );
}

function Rows({ table: { columns, rows } }: { table: ResultTable }) {
  const count = rows.length === 1 ? '1 row' : `${rows.length.toLocaleString('en')} rows`;
  return (
    <>
      <ScrollBox label="The answer as a table" className={styles.rows}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MAX_ROWS).map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity, and never move
              <tr key={at}>
                {row.map((cell, column) => (
                  <td key={columns[column]}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <p className={layout.quiet}>{rows.length > MAX_ROWS ? `The first ${MAX_ROWS} of ${count}` : count}</p>
    </>
  );
}

/** Whether a text says no more than the structured content does: servers send both for clients that know only one. */
function says(text: string, structured: unknown): boolean {
  if (structured === undefined || structured === null) return false;
  const json = jsonIn(text);
  return json !== undefined && JSON.stringify(json) === JSON.stringify(structured);
}

function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Rows and columns, as far as an answer has them. */
export interface ResultTable {
  columns: string[];
  rows: string[][];
}

/**
 * The table in an answer, in the shapes that managed servers use: columns with rows, a manifest with a result
 * (SQL has rows of tagged values, vector search plain ones), or a list of objects.
 */
export function tableIn(value: unknown): ResultTable | undefined {
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

function tableOfObjects(items: unknown[]): ResultTable | undefined {
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
