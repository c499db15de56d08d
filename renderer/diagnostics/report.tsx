import { Button, Modal } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answered, problemIn } from '../shared/answered.ts';
import { Notice } from '../shared/notice.tsx';
import styles from './diagnostics.module.css';

/** The report for whoever helps: to read first, to copy, to save. */
export function Report() {
  const { request } = window.causeway;
  const [reading, setReading] = useState(false);
  const copying = useMutation({ mutationFn: () => answered(request.copyDiagnostics()) });
  const saving = useMutation({ mutationFn: () => answered(request.saveDiagnostics()) });
  const error = copying.error ?? saving.error;
  const done = saving.data?.file ? `Saved as ${saving.data.file}.` : copying.isSuccess ? 'Copied.' : '';
  return (
    <section aria-label="Report" className={styles.report}>
      <h2>Report for whoever helps you</h2>
      <p className={styles.words}>
        Versions, the checks above, states and the newest lines of the log, as plain text. Tokens, passwords and
        people’s names are taken out.
      </p>
      <div className={styles.actions}>
        <Button
          variant="default"
          loading={copying.isPending}
          onClick={() => {
            saving.reset();
            copying.mutate();
          }}
        >
          Copy diagnostics
        </Button>
        <Button
          variant="default"
          loading={saving.isPending}
          onClick={() => {
            copying.reset();
            saving.mutate();
          }}
        >
          Save…
        </Button>
        <Button variant="subtle" onClick={() => setReading(true)}>
          Read it first
        </Button>
        <span role="status">{done}</span>
      </div>
      {error && <Notice {...problemIn(error)} />}
      <Modal opened={reading} onClose={() => setReading(false)} title="Report" size="xl">
        {reading && <Preview />}
      </Modal>
    </section>
  );
}

function Preview() {
  const { data, error } = useQuery({
    queryKey: ['diagnostics-preview'],
    queryFn: () => answered(window.causeway.request.previewDiagnostics()),
    gcTime: 0,
  });
  if (error) return <Notice {...problemIn(error)} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <pre className={styles.preview} tabIndex={0}>
      {data?.text ?? ''}
    </pre>
  );
}
