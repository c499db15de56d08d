import { Button } from '@mantine/core';
import type { AllowanceInfo, DesktopState } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import styles from './approvals.module.css';
import { strings } from './strings.ts';

/** Leads to the calls that wait, from the main window. It lies above the page and moves nothing. */
export function WaitingCalls({ state: { approvals } }: { state: DesktopState }) {
  return (
    <div role="status" className={styles.waiting}>
      {approvals.length > 0 && (
        <div className={styles.bar}>
          <span aria-hidden="true" className={styles.dot} />
          {strings.waiting(approvals.length)}
          <Button size="compact-sm" variant="default" onClick={() => void window.causeway.request.reviewCalls()}>
            {strings.review}
          </Button>
        </div>
      )}
    </div>
  );
}

/** What is allowed for some time, and the way to end it. */
export function Allowances({ allowances }: { allowances: readonly AllowanceInfo[] }) {
  const now = Date.now();
  const present = allowances.filter(({ until }) => until > now);
  if (present.length === 0) return null;
  return (
    <section aria-label={strings.allowances} className={styles.allowances}>
      <h2>{strings.allowances}</h2>
      <ul>
        {present.map(({ client, server, tool, until }) => (
          <li key={`${client} ${server} ${tool} ${until}`} className={layout.quiet}>
            {strings.allowance(client, tool ?? strings.readingTools, server, timeOf(until))}
          </li>
        ))}
      </ul>
      <Button variant="default" onClick={() => void window.causeway.request.endAllowances()}>
        {strings.end}
      </Button>
    </section>
  );
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
}
