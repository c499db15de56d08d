import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { answered, problemIn } from '../shared/answered.ts';
import { Notice } from '../shared/notice.tsx';
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
      {json.error && <Notice {...problemIn(json.error)} />}
      {json.data && (
        <details open={open}>
          <summary>The JSON</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by itself, so the keyboard has to reach it */}
          <section className={styles.json} tabIndex={0} aria-label="JSON for any other client">
            <pre>{json.data.text}</pre>
          </section>
        </details>
      )}
      <div className={styles.byHandActions}>
        <Button variant="default" onClick={() => copying.mutate()}>
          Copy
        </Button>
        <span role="status" className={styles.small}>
          {copying.isSuccess && 'It is on the clipboard.'}
        </span>
      </div>
      {copying.error && <Notice {...problemIn(copying.error)} />}
      {others.length > 0 && (
        <details className={styles.small}>
          <summary>Clients that Causeway knows and did not find here</summary>
          <p>{others.join(', ')}</p>
        </details>
      )}
    </section>
  );
}
