import type { DesktopState, Failure } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import { Notice } from '../shared/notice.tsx';
import { ScreenTitle } from '../shared/screen-head.tsx';
import { NextStep } from './next-step.tsx';

/** What to say first, by the error's code. */
const TITLES: Record<string, string> = {
  ambiguous: 'Choose a profile',
  cli_unavailable: 'Signed out',
  consent_denied: 'Signing in was refused',
  ip_blocked: 'This network is not allowed',
  permission_denied: 'Not permitted',
  profile_not_found: 'Choose a profile',
  profile_unusable: 'This profile cannot be used',
  sign_in_cancelled: 'Signed out',
  sign_in_failed: 'Signing in failed',
  sign_in_timeout: 'Signing in took too long',
  signed_out: 'Signed out',
  timeout: 'The workspace does not answer',
  tls: 'The connection is not trusted',
  unauthenticated: 'Signed out',
  unreachable: 'The workspace cannot be reached',
};

/** No answer could be had: what happened, what to do, and the next step as a button. */
export function FailureScreen({ failure, state }: { failure: Failure; state: DesktopState }) {
  const { problem } = failure;
  return (
    <div className={layout.screen}>
      <ScreenTitle>{TITLES[problem.code] ?? 'The warehouse could not be read'}</ScreenTitle>
      <Notice {...problem}>
        <NextStep failure={failure} others={state.profiles.filter((name) => name !== state.profile)} />
      </Notice>
    </div>
  );
}
