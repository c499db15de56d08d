import { Button, Skeleton, TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { CallContents, ContentsPart, Recording } from '../../preload/contract.ts';
import { useAction, useAnswer } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import { toast } from '../shared/toast.tsx';
import styles from './contents.module.css';
import { formatCut, formatFound } from './recording-format.ts';
import { strings } from './strings.ts';

const texts = strings.contents;

/** The recorded contents of a call. They are read again when recording ends, because they are deleted then. */
export function RecordedContentsView({ number, recording }: { number: number; recording: Recording }) {
  const { data, error, refetch } = useAnswer(
    ['call-contents', number, recording.status],
    () => window.causeway.request.callContents({ contents: number }),
    { gcTime: 0 },
  );
  if (error) return <FailureNotice error={error} onRetry={refetch} />;
  if (!data) return <Skeleton height={160} />;
  if (data.status === 'kept') return <Kept number={number} contents={data} />;
  return (
    <p>
      {texts.deleted} <span className={layout.quiet}>{texts.deletedHint}</span>
    </p>
  );
}

interface KeptProps {
  number: number;
  contents: Extract<CallContents, { status: 'kept' }>;
}

function Kept({ number, contents: { request, answer } }: KeptProps) {
  const [wanted, setWanted] = useState('');
  const [at, setAt] = useState(0);
  const copying = useAction(
    () => window.causeway.request.copyContents({ contents: number }),
    () => toast(texts.copied, 'clipboard'),
  );
  const { pieces, count } = useMemo(
    () =>
      chunks(
        [...request.blocks, ...(answer?.blocks ?? [])].map(({ text }) => text),
        wanted,
      ),
    [request, answer, wanted],
  );
  const ofRequest = pieces.slice(0, request.blocks.length);
  const ofAnswer = pieces.slice(request.blocks.length);
  const step = (by: number) => setAt((now) => (count === 0 ? 0 : (now + by + count) % count));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  };
  return (
    <>
      <div className={`${layout.actions} ${styles.find}`}>
        <TextInput
          aria-label={texts.find}
          placeholder={texts.findHint}
          className={styles.wanted}
          value={wanted}
          onChange={({ currentTarget }) => {
            setWanted(currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <span role="status" className={layout.quiet}>
          {wanted && formatFound(count, at, MAX_MATCHES)}
        </span>
        {wanted && count > 1 && (
          <Button variant="default" onClick={() => step(1)}>
            {texts.next}
          </Button>
        )}
        <Button variant="default" onClick={() => copying.mutate()}>
          {texts.copy}
        </Button>
      </div>
      <ActionFailure error={copying.error} />
      <Part title={texts.request} part={request} pieces={ofRequest} at={at} none={texts.emptyRequest} />
      {answer ? (
        <Part title={texts.response} part={answer} pieces={ofAnswer} at={at} none={texts.emptyResponse} />
      ) : (
        <section className={`${layout.stack} ${styles.part}`} aria-label={texts.response}>
          <h3>{texts.response}</h3>
          <p>{texts.noResponse}</p>
        </section>
      )}
      <p className={layout.quiet}>{texts.redacted}</p>
    </>
  );
}

interface PartProps {
  title: string;
  part: ContentsPart;
  /** The chunks of each block of text. */
  pieces: readonly Chunk[][];
  at: number;
  /** What is said about an empty one. */
  none: string;
}

function Part({ title, part, pieces, at, none }: PartProps) {
  const cut = formatCut(part);
  return (
    <section className={`${layout.stack} ${styles.part}`} aria-label={title}>
      <h3>{title}</h3>
      {cut && <p className={layout.quiet}>{cut}</p>}
      {part.blocks.length === 0 && <p>{none}</p>}
      {part.blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have neither names of their own nor another order
        <figure key={index} className={styles.block}>
          <figcaption className={layout.quiet}>{block.title}</figcaption>
          <ScrollBox label={texts.block(title, block.title)} className={styles.text}>
            <pre>
              {(pieces[index] ?? []).map(({ from, text, found }) =>
                found === null ? text : <Found key={from} text={text} isCurrent={found === at} />,
              )}
            </pre>
          </ScrollBox>
        </figure>
      ))}
    </section>
  );
}

function Found({ text, isCurrent }: { text: string; isCurrent: boolean }) {
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isCurrent) mark.current?.scrollIntoView({ block: 'center' });
  }, [isCurrent]);
  return (
    <mark ref={mark} aria-current={isCurrent || undefined}>
      {text}
    </mark>
  );
}

/** The most matches that a search marks: each is an element of the page. */
const MAX_MATCHES = 500;

/** A part of a text: a match with its number among all matches, or the text between two matches. */
export interface Chunk {
  /** The offset at which it begins in its text. */
  from: number;
  text: string;
  found: number | null;
}

/** Splits texts at the matches of a search, which ignores case. */
export function chunks(texts: readonly string[], wanted: string): { pieces: Chunk[][]; count: number } {
  let count = 0;
  const pieces = texts.map((text) => {
    if (wanted === '') return [{ from: 0, text, found: null }];
    const parts: Chunk[] = [];
    let end = 0;
    for (const { index, 0: found } of text.matchAll(literally(wanted))) {
      if (count === MAX_MATCHES) break;
      if (index > end) parts.push({ from: end, text: text.slice(end, index), found: null });
      parts.push({ from: index, text: found, found: count });
      count += 1;
      end = index + found.length;
    }
    if (end < text.length) parts.push({ from: end, text: text.slice(end), found: null });
    return parts;
  });
  return { pieces, count };
}

function literally(wanted: string): RegExp {
  return new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'gi');
}
