import { Button, NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { PendingApprovalInfo } from '../../preload/contract.ts';
import { questionOf } from '../../preload/format.ts';
import { REVIEW_SHORTCUT } from '../../preload/screens.ts';
import { formatKeys } from '../frame/shortcuts.ts';
import { unwrap } from '../shared/answered.ts';
import { ClientBadge } from '../shared/client-badge.tsx';
import { ActionFailure } from '../shared/notice.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import styles from './approvals.module.css';
import { HoldButton } from './hold-button.tsx';
import { strings } from './strings.ts';
import { useInert } from './use-inert.ts';

type What = 'tool' | 'reads';
type Until = 'hour' | 'day' | 'always';
/** What is allowed: this call, or more. */
type Choice = 'once' | `${What} ${Until}`;

const UNTILS: readonly Until[] = ['hour', 'day', 'always'];
const TICK_MS = 1_000;

/** One call, and the answers to it. Nothing of it moves, and for a moment nothing of it can be pressed. */
export function Approval({ approval, count }: { approval: PendingApprovalInfo; count: number }) {
  const { id, tooLong, readsOnly, canExtend } = approval;
  const [choice, setChoice] = useState<Choice>('once');
  const allowing = useRef<HTMLButtonElement>(null);
  const { request } = window.causeway;
  const answering = useMutation({
    mutationFn: async (answer: 'block' | Choice) => {
      if (answer === 'block') return unwrap(request.answerCall({ id, answer: 'block' }));
      if (answer === 'once') return unwrap(request.answerCall({ id, answer: 'allow' }));
      const [what, until] = partsOf(answer);
      return unwrap(request.allowCalls({ id, what, until }));
    },
  });
  const extending = useMutation({ mutationFn: () => unwrap(request.extendCall({ id })) });
  const isInert = useInert(`${id} ${choice}`) || answering.isPending;
  const block = () => {
    if (!isInert) answering.mutate('block');
  };
  useBlockKey(block);
  useEffect(() => {
    if (!isInert) allowing.current?.focus();
  }, [isInert]);
  const label = choice === 'once' ? strings.allowOnce : strings.allowMore[partsOf(choice)[1]];
  const allow = () => answering.mutate(choice);

  return (
    <article className={styles.approval} aria-label={questionOf(approval)}>
      <Head approval={approval} count={count} />
      <Contents approval={approval} />
      <ActionFailure error={answering.error ?? extending.error} />
      <Scope approval={approval} choice={choice} onChoice={setChoice} />
      <div className={styles.answers}>
        <Button variant="default" aria-keyshortcuts="Escape" disabled={isInert} onClick={block}>
          {strings.block}
        </Button>
        {readsOnly ? (
          <Button ref={allowing} disabled={isInert || tooLong !== null} onClick={allow}>
            {label}
          </Button>
        ) : (
          <HoldButton buttonRef={allowing} label={label} disabled={isInert || tooLong !== null} onHeld={allow} />
        )}
      </div>
      <div className={styles.time}>
        <Countdown expiresAt={approval.expiresAt} />
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={strings.extendLabel}
          disabled={isInert || !canExtend}
          onClick={() => extending.mutate()}
        >
          {strings.extend}
        </Button>
      </div>
    </article>
  );
}

function Head({ approval, count }: { approval: PendingApprovalInfo; count: number }) {
  const { mark, server, warehouse, user, profile, readsOnly } = approval;
  const where = [
    strings.on(server),
    ...(warehouse === null ? [] : [strings.runsOn(warehouse)]),
    strings.as(user ?? profile),
  ];
  return (
    <header
      className={styles.head}
      title={strings.keys(formatKeys(REVIEW_SHORTCUT.replace('CommandOrControl', 'mod')))}
    >
      <span aria-hidden="true" className={styles.dot} />
      <h1 className={styles.question}>
        <ClientBadge mark={mark} />
        {questionOf(approval)}
      </h1>
      <span className={styles.count}>{strings.place(1, count)}</span>
      <p className={styles.where}>
        <strong>{readsOnly ? strings.reads : strings.mayChange}</strong>
        {` · ${where.join(' · ')}`}
      </p>
    </header>
  );
}

/** What would run, letter for letter. */
function Contents({ approval }: { approval: PendingApprovalInfo }) {
  const { statement, arguments: rest, tooLong } = approval;
  return (
    <div className={styles.contents}>
      {statement !== null && (
        <ScrollBox label={strings.sql} className={styles.text}>
          <pre>{statement}</pre>
        </ScrollBox>
      )}
      {rest !== null && (
        <ScrollBox label={strings.arguments} className={styles.text}>
          <pre>{rest}</pre>
        </ScrollBox>
      )}
      {statement === null && rest === null && <p>{strings.nothing}</p>}
      {tooLong !== null && <p role="note">{tooLong}</p>}
    </div>
  );
}

interface ScopeProps {
  approval: PendingApprovalInfo;
  choice: Choice;
  onChoice(choice: Choice): void;
}

/** How much is allowed, in words. */
function Scope({ approval, choice, onChoice }: ScopeProps) {
  const { client, tool, server, readsOnly, onlyOnce } = approval;
  const only = { 'no-name': strings.noName, organization: strings.byOrganization };
  const once = onlyOnce === null ? strings.onlyThis : only[onlyOnce];
  const whats: readonly What[] = readsOnly ? ['reads', 'tool'] : ['tool'];
  const more = onlyOnce === null ? whats : [];
  const labelOf = (what: What, until: Until) =>
    `${strings.ofClient(client ?? strings.client, strings.every(what, tool, server))}, ${strings.until[until]}`;
  const choices = more.flatMap((what) =>
    UNTILS.map((until) => ({ value: `${what} ${until}`, label: labelOf(what, until) })),
  );
  const options = [{ value: 'once', label: once }, ...choices];
  return (
    <NativeSelect
      label={strings.scope}
      className={styles.scope}
      data={options}
      value={choice}
      onChange={({ currentTarget }) => onChoice(choiceOf(currentTarget.value))}
    />
  );
}

function choiceOf(value: string): Choice {
  const [what, until] = value.split(' ');
  const found = UNTILS.find((each) => each === until);
  return found && (what === 'tool' || what === 'reads') ? `${what} ${found}` : 'once';
}

function partsOf(choice: Exclude<Choice, 'once'>): [What, Until] {
  const [what, until] = choice.split(' ');
  return [what === 'reads' ? 'reads' : 'tool', UNTILS.find((each) => each === until) ?? 'hour'];
}

/** Escape blocks the call, wherever the focus is. */
function useBlockKey(block: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.repeat && !event.defaultPrevented) block();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [block]);
}

/** How long there is to answer. Not announced: it changes each second. */
function Countdown({ expiresAt }: { expiresAt: number }) {
  const [now, setNow] = useState(Date.now);
  const [firstSeen] = useState(now);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(ticking);
  }, []);
  const leftMs = Math.max(0, expiresAt - now);
  return (
    <>
      <progress aria-hidden="true" max={Math.max(1, expiresAt - firstSeen)} value={leftMs} />
      <span className={styles.left} role="timer" aria-live="off">
        {strings.expires(Math.ceil(leftMs / 1000))}
      </span>
    </>
  );
}
