import { Button } from '@mantine/core';
import { IconCheck, IconShieldQuestion, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { PendingApprovalInfo } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { ClientBadge } from '../shared/client-badge.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure } from '../shared/notice.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import styles from './rules.module.css';
import { strings } from './strings.ts';

const TICK_MS = 1_000;
const words = strings.approvals;

/** The calls that wait for the user, above whatever screen is open. */
export function Approvals({ approvals }: { approvals: readonly PendingApprovalInfo[] }) {
  return (
    <section aria-label={words.label} aria-live="polite" className={styles.approvals}>
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
  const question = words.question(client ?? words.client, tool);
  return (
    <article className={styles.approval} aria-label={question}>
      <div className={styles.head}>
        <span className={styles.glyph}>
          <Icon of={IconShieldQuestion} size="navigation" />
        </span>
        <div>
          <p className={styles.question}>
            <ClientBadge mark={mark} />
            {question}
          </p>
          <p className={layout.quiet}>
            {words.on(server, profile)}
            <Countdown expiresAt={approval.expiresAt} />
          </p>
        </div>
      </div>
      {statement !== null && (
        <ScrollBox label={words.sql} className={styles.contents}>
          <pre>{statement}</pre>
        </ScrollBox>
      )}
      {approval.arguments !== null && (
        <ScrollBox label={words.arguments} className={styles.contents}>
          <pre>{approval.arguments}</pre>
        </ScrollBox>
      )}
      {cut > 0 && <p className={layout.quiet}>{words.cut(cut)}</p>}
      <ActionFailure error={answering.error} />
      <div className={layout.actions}>
        <Button leftSection={<Icon of={IconCheck} />} disabled={isBusy} onClick={() => answering.mutate('once')}>
          {words.once}
        </Button>
        {client !== null && (
          <Button variant="default" disabled={isBusy} onClick={() => answering.mutate('always')}>
            {words.always}
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<Icon of={IconX} />}
          disabled={isBusy}
          onClick={() => answering.mutate('refuse')}
        >
          {words.refuse}
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
  return <span aria-live="off">{words.countdown(seconds)}</span>;
}
