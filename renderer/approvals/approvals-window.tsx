import type { DesktopState } from '../../preload/contract.ts';
import { questionOf } from '../../preload/format.ts';
import { useDesktopState } from '../shared/use-desktop-state.ts';
import { Approval } from './approval.tsx';
import styles from './approvals.module.css';
import { strings } from './strings.ts';

/** The longest part of a call that is read aloud without being asked for, in characters. */
const ANNOUNCED_LENGTH = 300;

/** The window with the calls that wait for the user: one at a time, the oldest first. */
export function ApprovalsWindow() {
  return <WaitingCalls state={useDesktopState()} />;
}

function WaitingCalls({ state }: { state: DesktopState }) {
  const [first] = state.approvals;
  const question = first && questionOf(first);
  return (
    <main className={styles.window} aria-label={strings.title}>
      {/* It stands from the beginning, so that a screen reader hears what comes into it. */}
      <p role="alert" className={styles.announced}>
        {first &&
          [question, (first.statement ?? first.arguments)?.slice(0, ANNOUNCED_LENGTH)].filter(Boolean).join(': ')}
      </p>
      {first ? (
        <Approval key={first.id} approval={first} count={state.approvals.length} />
      ) : (
        <p className={styles.none}>{strings.none}</p>
      )}
    </main>
  );
}
