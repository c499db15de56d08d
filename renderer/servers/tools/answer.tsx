import type { ToolAnswer } from '../../../preload/contract.ts';
import layout from '../../shared/layout.module.css';
import { Notice } from '../../shared/notice.tsx';
import { ScrollBox } from '../../shared/scroll-box.tsx';
import { durationInWords, sizeInWords } from '../words.ts';
import { type Table, tableIn } from './table.ts';
import styles from './tools.module.css';

/** Rows of a table that are shown: the rest is a matter for a real client. */
const MOST_ROWS = 200;

/** A tool's answer: an error as an error, rows as a table, the rest as text or JSON, long ones in a place of their own. */
export function Answer({ answer }: { answer: ToolAnswer }) {
  const { isError, milliseconds, structured } = answer;
  const texts = answer.parts.filter((part) => part.type !== 'text' || !says(part.text, structured));
  return (
    <div className={layout.stack}>
      <p className={layout.quiet}>
        {isError ? 'The tool answered with an error' : 'Answered'} after {durationInWords(milliseconds)}
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
          {part.mimeType}, {sizeInWords(part.bytes)}: it cannot be shown here.
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

function Rows({ table: { columns, rows } }: { table: Table }) {
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
            {rows.slice(0, MOST_ROWS).map((row, at) => (
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
      <p className={layout.quiet}>{rows.length > MOST_ROWS ? `The first ${MOST_ROWS} of ${count}` : count}</p>
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
