import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { DesktopState, FirstRunState } from '../../preload/contract.ts';
import { WaitingCalls } from '../approvals/waiting-calls.tsx';
import { Notice } from '../shared/notice.tsx';
import { ClientsStep } from './clients-step.tsx';
import { DoneStep } from './done-step.tsx';
import styles from './first-run.module.css';
import { ServersStep } from './servers-step.tsx';
import { SignInStep } from './sign-in-step.tsx';
import { StepIndicator } from './step-indicator.tsx';
import { strings } from './strings.ts';
import { type StepProps, useProgress } from './use-progress.ts';
import { WorkspaceStep } from './workspace-step.tsx';

const STEPS: Record<FirstRunState['step'], (props: StepProps) => React.ReactNode> = {
  workspace: WorkspaceStep,
  'sign-in': SignInStep,
  servers: ServersStep,
  clients: ClientsStep,
  done: DoneStep,
};

/** The whole window of a first run: from nothing to an AI client that uses the workspace. */
export function FirstRun({ state, firstRun }: { state: DesktopState; firstRun: FirstRunState }) {
  const progress = useProgress(firstRun);
  const { now, change, connect, end } = progress;
  const page = useRef<HTMLElement>(null);
  const { step, profile } = now;
  const isOpen = profile !== null && state.profile === profile;
  const isConnected = isOpen && state.warehouse.status === 'known';
  useEffect(() => {
    if (step === 'sign-in' && isConnected) change({ step: 'servers' });
  }, [step, isConnected, change]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for a sign-in that was left with the window
  useEffect(() => {
    if (step === 'sign-in' && profile !== null && !isOpen && state.warehouse.status !== 'loading') connect(profile);
  }, []);
  useFocusOnStep(page, step);
  const Step = STEPS[step];
  return (
    <div className={styles.window}>
      <header className={styles.header}>
        <p className={styles.brand}>
          <Mark />
          {strings.name}
        </p>
        <StepIndicator step={step} onGo={(to) => change({ step: to })} />
        {step === 'done' ? (
          <span />
        ) : (
          <Button variant="subtle" size="compact-sm" onClick={end}>
            {strings.skip}
          </Button>
        )}
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys have to reach it whatever it shows */}
      <main ref={page} className={styles.page} tabIndex={0} aria-label={strings.steps[step]}>
        <div className={styles.column}>
          {state.failedAction && (
            <Notice
              message={`${state.failedAction.title}. ${state.failedAction.problem.message}`}
              remedy={state.failedAction.problem.remedy}
            >
              <Button variant="default" onClick={() => void window.causeway.request.dismissFailedAction()}>
                {strings.dismiss}
              </Button>
            </Notice>
          )}
          <Step state={state} progress={progress} />
        </div>
      </main>
      <WaitingCalls state={state} />
    </div>
  );
}

/** The application's mark (resources/icon.svg). */
function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={styles.mark}>
      <rect x="1" y="1" width="30" height="30" rx="7" fill="#12748a" />
      <path
        fill="#fff"
        transform="translate(16 16) scale(0.8) translate(-16 -16)"
        d="M3 9H29V24H27V20a5 5 0 0 0-10 0V24H15V20a5 5 0 0 0-10 0V24H3Z"
      />
    </svg>
  );
}

/** Another step begins at its heading, unless it has put the focus into a field. */
function useFocusOnStep(page: React.RefObject<HTMLElement | null>, step: string): void {
  const before = useRef(step);
  useEffect(() => {
    if (before.current === step) return;
    before.current = step;
    page.current?.scrollTo({ top: 0 });
    if (page.current?.querySelector('input:focus')) return;
    page.current?.querySelector('h1')?.focus();
  }, [page, step]);
}
