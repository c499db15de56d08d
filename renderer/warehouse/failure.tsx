import { Button } from '@mantine/core';
import type { DesktopState, Problem } from '../../preload/contract.ts';
import { Notice } from '../shared/notice.tsx';
import { CheckAgain } from './checked.tsx';
import styles from './warehouse.module.css';

/** What to say first, by the error's code. */
const TITLES: Record<string, string> = {
  profile_not_found: 'Choose a profile',
  profile_unusable: 'This profile cannot be used',
  ambiguous: 'Choose a profile',
  signed_out: 'Signed out',
  unauthenticated: 'Signed out',
  sign_in_failed: 'Signing in failed',
  sign_in_cancelled: 'Signing in was cancelled',
  unreachable: 'The workspace cannot be reached',
  timeout: 'The workspace does not answer',
  tls: 'The connection is not trusted',
  ip_blocked: 'This network is not allowed',
  permission_denied: 'Not permitted',
};

/** No answer could be had: what happened, what to do, and the next step as a button. */
export function Failure({ problem, state }: { problem: Problem; state: DesktopState }) {
  const others = state.profiles.filter((name) => name !== state.profile);
  return (
    <div className={styles.empty}>
      <h1 className={styles.title}>{TITLES[problem.code] ?? 'The warehouse could not be read'}</h1>
      <Notice message={problem.message} remedy={problem.remedy}>
        <CheckAgain label="Try again" />
        {others.map((profile) => (
          <Button
            key={profile}
            variant="default"
            onClick={() => void window.causeway.request.chooseProfile({ profile })}
          >
            Use {profile}
          </Button>
        ))}
      </Notice>
    </div>
  );
}
