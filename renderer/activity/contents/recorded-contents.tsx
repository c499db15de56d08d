import { Button, Skeleton, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { CallContents, ContentsPart, Recording } from '../../../preload/contract.ts';
import { answered } from '../../shared/answered.ts';
import layout from '../../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../../shared/notice.tsx';
import { ScrollBox } from '../../shared/scroll-box.tsx';
import styles from './contents.module.css';
import { MOST_FOUND, type Piece, piecesOf } from './find-text.ts';
import { cutInWords, foundInWords } from './words.ts';

/** What was recorded of a call. It is asked for again when recording ends, for it is deleted then. */
export function RecordedContents({ number, recording }: { number: number; recording: Recording }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['call-contents', number, recording.status],
    queryFn: () => answered(window.causeway.request.callContents({ contents: number })),
    gcTime: 0,
  });
  if (error) return <FailureNotice error={error} onRetry={refetch} />;
  if (!data) return <Skeleton height={160} />;
  if (data.status === 'kept') return <Kept number={number} contents={data} />;
  return (
    <section className={`${layout.stack} ${styles.part}`} aria-label="Contents">
      <p className={layout.name}>What was asked and answered has been deleted.</p>
      <p>The recording has ended, or newer calls have taken its place.</p>
    </section>
  );
}

interface KeptProps {
  number: number;
  contents: Extract<CallContents, { status: 'kept' }>;
}

function Kept({ number, contents: { request, answer } }: KeptProps) {
  const [wanted, setWanted] = useState('');
  const [at, setAt] = useState(0);
  const copying = useMutation({
    mutationFn: () => answered(window.causeway.request.copyContents({ contents: number })),
  });
  const { pieces, count } = useMemo(
    () =>
      piecesOf(
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
          aria-label="Find in what was asked and answered"
          placeholder="Find"
          className={styles.wanted}
          value={wanted}
          onChange={({ currentTarget }) => {
            setWanted(currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <span role="status" className={layout.quiet}>
          {wanted && foundInWords(count, at, MOST_FOUND)}
          {!wanted && copying.isSuccess && 'It is on the clipboard.'}
        </span>
        {wanted && count > 1 && (
          <Button variant="default" onClick={() => step(1)}>
            Next
          </Button>
        )}
        <Button variant="default" onClick={() => copying.mutate()}>
          Copy
        </Button>
      </div>
      <ActionFailure error={copying.error} />
      <Part title="What was asked" part={request} pieces={ofRequest} at={at} none="Nothing was passed along." />
      {answer ? (
        <Part title="What was answered" part={answer} pieces={ofAnswer} at={at} none="The answer was empty." />
      ) : (
        <section className={`${layout.stack} ${styles.part}`} aria-label="What was answered">
          <h3>What was answered</h3>
          <p>No answer was recorded.</p>
        </section>
      )}
      <p className={layout.quiet}>What looks like a password or a token is replaced by [redacted].</p>
    </>
  );
}

interface PartProps {
  title: string;
  part: ContentsPart;
  /** For each block, its text in pieces. */
  pieces: readonly Piece[][];
  at: number;
  /** What is said of an empty one. */
  none: string;
}

function Part({ title, part, pieces, at, none }: PartProps) {
  const cut = cutInWords(part);
  return (
    <section className={`${layout.stack} ${styles.part}`} aria-label={title}>
      <h3>{title}</h3>
      {cut && <p className={layout.quiet}>{cut}</p>}
      {part.blocks.length === 0 && <p>{none}</p>}
      {part.blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have neither names of their own nor another order
        <figure key={index} className={styles.block}>
          <figcaption className={layout.quiet}>{block.title}</figcaption>
          <ScrollBox label={`${title}: ${block.title}`} className={styles.text}>
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
