import { Button } from '@mantine/core';
import type { FailedAction as Failed } from '../../preload/contract.ts';
import { Notice } from '../shared/notice.tsx';
import styles from './frame.module.css';

/** What was asked for in the tray and went wrong, until the person has seen it. */
export function FailedAction({ failed }: { failed: Failed | null }) {
  if (failed === null) return null;
  const { title, problem } = failed;
  return (
    <div className={styles.failed}>
      <Notice message={`${title}. ${problem.message}`} remedy={problem.remedy}>
        <Button variant="default" onClick={() => void window.causeway.request.dismissFailedAction()}>
          Dismiss
        </Button>
      </Notice>
    </div>
  );
}
