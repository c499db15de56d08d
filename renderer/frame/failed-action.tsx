import { Button } from '@mantine/core';
import type { FailedAction } from '../../preload/contract.ts';
import { Notice } from '../shared/notice.tsx';
import { strings as shared } from '../shared/strings.ts';
import { strings } from './strings.ts';

/** An action of the tray that failed, until the user dismisses it. */
export function FailedActionNotice({ failed }: { failed: FailedAction | null }) {
  if (failed === null) return null;
  const { title, problem } = failed;
  return (
    <Notice message={strings.failed(title, problem.message)} remedy={problem.remedy}>
      <Button variant="default" onClick={() => void window.causeway.request.dismissFailedAction()}>
        {shared.dismiss}
      </Button>
    </Notice>
  );
}
