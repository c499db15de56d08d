import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { unwrap } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import { toast } from '../shared/toast.tsx';
import styles from './clients.module.css';
import { strings } from './strings.ts';

const { byHand: texts } = strings;

/** What to paste into a client that Causeway does not know. */
export function ByHand({ servers, others, open }: { servers: string[]; others: string[]; open: boolean }) {
  const { request } = window.causeway;
  const json = useQuery({
    queryKey: ['client-json', servers],
    queryFn: () => unwrap(request.clientJson({ client: null })),
  });
  const copying = useMutation({
    mutationFn: () => unwrap(request.copyClientJson({ client: null })),
    onSuccess: () => toast(strings.jsonCopied, 'clipboard'),
  });
  return (
    <Card
      title={texts.title}
      actions={
        <Button variant="default" size="compact-sm" onClick={() => copying.mutate()}>
          {strings.copyJson}
        </Button>
      }
    >
      <p className={layout.quiet}>{texts.help}</p>
      <FailureNotice error={json.error} />
      <ActionFailure error={copying.error} />
      {json.data && (
        <details className={styles.folded} open={open}>
          <summary>{texts.show}</summary>
          <ScrollBox label={texts.label}>
            <pre>{json.data.text}</pre>
          </ScrollBox>
        </details>
      )}
      {others.length > 0 && (
        <details className={styles.folded}>
          <summary>{texts.known}</summary>
          <p className={layout.quiet}>{others.join(', ')}</p>
        </details>
      )}
    </Card>
  );
}
