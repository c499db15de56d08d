import { Skeleton } from '@mantine/core';
import type { ClientChange } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import { FailureNotice } from '../shared/notice.tsx';
import { Difference } from './difference.tsx';
import { strings } from './strings.ts';
import { changesIn, failuresIn, useClientPreview } from './use-client-change.ts';

/** What a change would do to each client's file, or why it cannot. */
export function ChangePreview({ change }: { change: ClientChange }) {
  const preview = useClientPreview(change);
  const [changes, failures] = [changesIn(preview.data), failuresIn(preview.data)];
  return (
    <div className={layout.stack}>
      {preview.isPending && <Skeleton height={120} />}
      <FailureNotice error={preview.error} onRetry={preview.refetch} />
      {changes.map(({ client, name, file, diff }) => (
        <section key={`${client} ${file}`} aria-label={name}>
          <Difference file={file} diff={diff} />
        </section>
      ))}
      {failures.map(({ client, name, file, problem }) => (
        <p key={`${client} ${file}`}>{strings.failed(name, problem.message)}</p>
      ))}
      {preview.data && changes.length + failures.length === 0 && <p>{strings.review.nothing}</p>}
    </div>
  );
}
