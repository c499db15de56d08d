import { Button, Modal, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answered } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import styles from './diagnostics.module.css';

/** The report for whoever helps: to read first, to copy, to save. */
export function Report() {
  const { request } = window.causeway;
  const [reading, setReading] = useState(false);
  const copying = useMutation({ mutationFn: () => answered(request.copyDiagnostics()) });
  const saving = useMutation({ mutationFn: () => answered(request.saveDiagnostics()) });
  const done = saving.data?.file ? `Saved as ${saving.data.file}.` : copying.isSuccess ? 'Copied.' : '';
  return (
    <section aria-label="Report" className={layout.stack}>
      <h2>Report for whoever helps you</h2>
      <p className={layout.quiet}>
        Versions, the checks above, states and the newest lines of the log, as plain text. Tokens, passwords and
        people’s names are taken out.
      </p>
      <div className={layout.actions}>
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
      <ActionFailure error={copying.error ?? saving.error} />
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
  if (error) return <FailureNotice error={error} />;
  if (!data) return <Skeleton height={240} />;
  return (
    <ScrollBox label="The report’s text" className={styles.preview}>
      <pre>{data.text}</pre>
    </ScrollBox>
  );
}
