import { Button } from '@mantine/core';
import { IconAlertTriangleFilled, IconCircleCheckFilled, IconCopy, IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { formatBytes, formatDuration } from '../../../preload/contract/words/figures.ts';
import type { ToolAnswer } from '../../../preload/contract.ts';
import { unwrap } from '../../shared/answered.ts';
import { Icon } from '../../shared/icon.tsx';
import layout from '../../shared/layout.module.css';
import { ActionFailure, Notice } from '../../shared/notice.tsx';
import { ScrollBox } from '../../shared/scroll-box.tsx';
import { toast } from '../../shared/toast.tsx';
import { strings } from '../strings.ts';
import { ResultRows } from './result-rows.tsx';
import { type ResultTable, tableIn } from './result-table.ts';
import styles from './tools.module.css';

const texts = strings.answer;

/** A tool's answer: a failure as a failure, rows as a table, the rest as text, and all of it as JSON behind details. */
export function ToolAnswerView({ answer, name }: { answer: ToolAnswer; name: string }) {
  const hasFailed = answer.isError || answer.failure !== null;
  const table = hasFailed ? undefined : tableOf(answer);
  return (
    <div className={layout.stack}>
      <div className={layout.head}>
        <p className={styles.outcome} data-failed={hasFailed}>
          <Icon of={hasFailed ? IconAlertTriangleFilled : IconCircleCheckFilled} />
          {(hasFailed ? texts.failedTime : texts.time)(formatDuration(answer.durationMs))}
          {table && <span className={layout.quiet}>{texts.rows(table.rows.length)}</span>}
        </p>
        {table && <TakeAlong table={table} name={name} />}
      </div>
      {hasFailed ? <Failure answer={answer} /> : <Result answer={answer} table={table} />}
    </div>
  );
}

function Failure({ answer }: { answer: ToolAnswer }) {
  const { failure, structured } = answer;
  return (
    <>
      {failure ? (
        <Failed title={failureTitle(failure.state)} text={failure.message} />
      ) : (
        <Failed title={texts.toolError} text={errorText(answer)} />
      )}
      <Details structured={structured} isOpen={false} />
    </>
  );
}

function Result({ answer: { parts, structured }, table }: { answer: ToolAnswer; table: ResultTable | undefined }) {
  const rest = parts.filter((part) => tableIn(jsonOf(part)) === undefined);
  return (
    <>
      {table && (table.rows.length > 0 ? <ResultRows table={table} /> : <p>{texts.noRows}</p>)}
      {table?.isTruncated && <p className={layout.quiet}>{texts.truncated}</p>}
      {rest.map((part, place) => (
        // The parts of one answer never change.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Part key={place} part={part} />
      ))}
      {parts.length === 0 && !hasContent(structured) && <p>{texts.empty}</p>}
      <Details structured={structured} isOpen={!table && rest.length === 0} />
    </>
  );
}

function Details({ structured, isOpen }: { structured: unknown; isOpen: boolean }) {
  if (!hasContent(structured)) return null;
  return (
    <details className={styles.more} open={isOpen}>
      <summary>{texts.details}</summary>
      <Code text={JSON.stringify(structured, null, 2)} label={texts.json} />
    </details>
  );
}

function hasContent(structured: unknown): boolean {
  return structured !== undefined && structured !== null;
}

/** Why a call failed; a text of several lines keeps them. */
function Failed({ title, text }: { title: string; text: string | null }) {
  const hasLines = text?.includes('\n') === true;
  return (
    <>
      <Notice message={title} remedy={hasLines ? null : text} />
      {hasLines && <Code text={text} label={title} />}
    </>
  );
}

function failureTitle(state: string): string {
  return state === 'FAILED' ? texts.statementFailed : texts.questionFailed;
}

/** What a tool says about its error. */
function errorText({ parts, structured }: ToolAnswer): string | null {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (texts.length > 0) return texts.join('\n');
  return hasContent(structured) ? JSON.stringify(structured, null, 2) : null;
}

/** The table of an answer, in its structured content or in one of its texts. */
function tableOf({ structured, parts }: ToolAnswer): ResultTable | undefined {
  return [structured, ...parts.map(jsonOf)].map(tableIn).find((table) => table !== undefined);
}

function Code({ text, label }: { text: string; label: string }) {
  return (
    <ScrollBox label={label} className={styles.text}>
      <pre>{text}</pre>
    </ScrollBox>
  );
}

function Part({ part }: { part: ToolAnswer['parts'][number] }) {
  switch (part.type) {
    case 'link':
      return (
        <p>
          {part.title} <code>{part.uri}</code>
        </p>
      );
    case 'data':
      return <p>{texts.data(part.mimeType, formatBytes(part.bytes))}</p>;
    case 'text': {
      const json = jsonIn(part.text);
      return (
        <>
          <Code text={json === undefined ? part.text : JSON.stringify(json, null, 2)} label={texts.text} />
          {part.cut > 0 && <p className={layout.quiet}>{texts.cut(part.cut)}</p>}
        </>
      );
    }
  }
}

/** The ways to take rows along. */
function TakeAlong({ table, name }: { table: ResultTable; name: string }) {
  const { request } = window.causeway;
  const { columns } = table;
  const content = {
    columns: columns.map((column) => column.name),
    rows: table.rows.map((row) => row.map((cell) => cell ?? '')),
  };
  const copying = useMutation({
    mutationFn: () => unwrap(request.copyTable(content)),
    onSuccess: () => toast(texts.csvCopied, 'clipboard'),
  });
  const saving = useMutation({
    mutationFn: () => unwrap(request.saveTable({ name, ...content })),
    onSuccess: (saved) => saved && toast(texts.saved(saved.file)),
  });
  return (
    <>
      <div className={layout.actions}>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<Icon of={IconCopy} />}
          onClick={() => copying.mutate()}
        >
          {texts.copyCsv}
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<Icon of={IconDownload} />}
          loading={saving.isPending}
          onClick={() => saving.mutate()}
        >
          {texts.saveCsv}
        </Button>
      </div>
      <ActionFailure error={copying.error ?? saving.error} />
    </>
  );
}

function jsonOf(part: ToolAnswer['parts'][number]): unknown {
  return part.type === 'text' && part.cut === 0 ? jsonIn(part.text) : undefined;
}

function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
