import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatNumber } from '../../preload/contract/words/figures.ts';
import { isStillRunning, phasesOf, recordFacts, statusText } from '../../preload/contract/words/statements.ts';
import type { ActivityCall, CallStatement, StatementRecord } from '../../preload/contract.ts';
import { useAction } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure } from '../shared/notice.tsx';
import { toast } from '../shared/toast.tsx';
import styles from './call-page.module.css';
import { formatMoment } from './format.ts';
import { strings } from './strings.ts';

const texts = strings.statement;

interface StatementCardProps {
  call: ActivityCall;
  statement: CallStatement;
  /** Whether the session that ran it has ended. */
  isClientGone: boolean;
}

/** The statement that a call ran: where, how long each part of it took, what it read, and its page in the workspace. */
export function StatementCard({ call, statement, isClientGone }: StatementCardProps) {
  const { request } = window.causeway;
  const [isAsked, setAsked] = useState(false);
  const isRunning = isStillRunning(statement);
  const open = useAction(() => request.openStatement({ id: call.id }));
  const cancel = useAction(
    () => request.cancelStatement({ id: call.id }),
    () => {
      setAsked(true);
      toast(texts.cancelAsked);
    },
  );
  const facts: [name: string, value: string | null][] = [
    [texts.status, statusText(statement)],
    ...(statement.record ? recordFacts(statement.record, formatMoment) : []),
    [texts.polls, statement.polls === 0 ? null : formatNumber(statement.polls)],
    [texts.id, statement.id],
  ];
  return (
    <Card title={texts.title}>
      {isRunning && isClientGone && <p>{texts.clientGone}</p>}
      {statement.record ? (
        <Phases record={statement.record} />
      ) : (
        <p className={layout.quiet}>{lookUpText(statement)}</p>
      )}
      <dl className={styles.facts}>
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      <ActionFailure error={cancel.error ?? open.error} />
      <div className={layout.actions}>
        <Button variant="default" onClick={() => open.mutate()}>
          {texts.open}
        </Button>
        {isRunning && (
          <Button variant="default" disabled={isAsked || cancel.isPending} onClick={() => cancel.mutate()}>
            {texts.cancel}
          </Button>
        )}
      </div>
    </Card>
  );
}

function lookUpText({ lookUp }: CallStatement): string {
  return lookUp === 'off' ? texts.off : lookUp === 'not-found' ? texts.notFound : texts.waiting;
}

/** Where the statement's time passed, as a bar and in words. */
function Phases({ record }: { record: StatementRecord }) {
  const parts = phasesOf(record)
    .filter(({ ms }) => ms > 0)
    .map(({ phase, ms, name, text }) => ({ phase, ms, text: `${name} ${text}` }));
  if (parts.length === 0) return null;
  return (
    <div>
      <div className={styles.bar} role="img" aria-label={parts.map(({ text }) => text).join(', ')}>
        {parts.map(({ phase, ms, text }) => (
          <span key={phase} data-phase={phase} style={{ flexGrow: ms }} title={text} />
        ))}
      </div>
      <p aria-hidden className={styles.legend}>
        {parts.map(({ phase, text }) => (
          <span key={phase} data-phase={phase}>
            {text}
          </span>
        ))}
      </p>
    </div>
  );
}

/** Asked again while more may become known of the statement. */
export function isStillOpen(call: ActivityCall): boolean {
  return call.statement !== null && (call.statement.lookUp === 'waiting' || isStillRunning(call.statement));
}
