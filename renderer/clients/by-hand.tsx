import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { answered } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import styles from './clients.module.css';

/** What to paste into a client that Causeway does not know. */
export function ByHand({ servers, others, open }: { servers: string[]; others: string[]; open: boolean }) {
  const { request } = window.causeway;
  const json = useQuery({
    queryKey: ['client-json', servers],
    queryFn: () => answered(request.clientJson({ client: null })),
  });
  const copying = useMutation({ mutationFn: () => answered(request.copyClientJson({ client: null })) });
  return (
    <section className={styles.section} aria-labelledby="by-hand">
      <h2 id="by-hand">Any other client</h2>
      <p>Paste this where it keeps its MCP servers. Nearly every client takes it.</p>
      <FailureNotice error={json.error} />
      {json.data && (
        <details open={open}>
          <summary>The JSON</summary>
          <ScrollBox label="JSON for any other client">
            <pre>{json.data.text}</pre>
          </ScrollBox>
        </details>
      )}
      <div className={layout.actions}>
        <Button variant="default" onClick={() => copying.mutate()}>
          Copy
        </Button>
        <span role="status" className={layout.quiet}>
          {copying.isSuccess && 'It is on the clipboard.'}
        </span>
      </div>
      <ActionFailure error={copying.error} />
      {others.length > 0 && (
        <details className={layout.quiet}>
          <summary>Clients that Causeway knows and did not find here</summary>
          <p>{others.join(', ')}</p>
        </details>
      )}
    </section>
  );
}
