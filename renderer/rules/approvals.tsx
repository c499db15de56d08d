import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { PendingApprovalInfo } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { ClientBadge } from '../shared/client-badge.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure } from '../shared/notice.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import styles from './rules.module.css';

const TICK_MS = 1_000;

/** The calls that wait for the user, above whatever screen is open. */
export function Approvals({ approvals }: { approvals: readonly PendingApprovalInfo[] }) {
  return (
    <section aria-label="Calls that wait for you" aria-live="polite" className={styles.approvals}>
      {approvals.map((approval) => (
        <Approval key={approval.id} approval={approval} />
      ))}
    </section>
  );
}

function Approval({ approval }: { approval: PendingApprovalInfo }) {
  const { id, client, mark, server, profile, tool, statement, cut } = approval;
  const answering = useMutation({
    mutationFn: (answer: 'once' | 'always' | 'refuse') => unwrap(window.causeway.request.answerCall({ id, answer })),
  });
  const isBusy = answering.isPending;
  return (
    <article className={styles.approval} aria-label={`${client ?? 'An AI client'} asks to use ${tool}`}>
      <div>
        <p className={styles.question}>
          <ClientBadge mark={mark} /> {client ?? 'An AI client'} asks to use {tool}
        </p>
        <p className={layout.quiet}>
          On {server} · as {profile} · <Countdown expiresAt={approval.expiresAt} />
        </p>
      </div>
      {statement !== null && (
        <ScrollBox label="SQL" className={styles.contents}>
          <pre>{statement}</pre>
        </ScrollBox>
      )}
      {approval.arguments !== null && (
        <ScrollBox label="Arguments" className={styles.contents}>
          <pre>{approval.arguments}</pre>
        </ScrollBox>
      )}
      {cut > 0 && <p className={layout.quiet}>{cut.toLocaleString('en')} more characters are not shown.</p>}
      <ActionFailure error={answering.error} />
      <div className={layout.actions}>
        <Button disabled={isBusy} onClick={() => answering.mutate('once')}>
          Allow once
        </Button>
        {client !== null && (
          <Button variant="default" disabled={isBusy} onClick={() => answering.mutate('always')}>
            Always for this client
          </Button>
        )}
        <Button variant="default" disabled={isBusy} onClick={() => answering.mutate('refuse')}>
          Refuse
        </Button>
      </div>
    </article>
  );
}

/** How long there is to answer. Not announced: it changes each second. */
function Countdown({ expiresAt }: { expiresAt: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(ticking);
  }, []);
  const seconds = Math.max(0, Math.ceil((expiresAt - now) / 1000));
  return <span aria-live="off">refused automatically in {seconds} s</span>;
}
