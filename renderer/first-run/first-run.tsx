import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { DesktopState, FirstRunState } from '../../preload/contract.ts';
import mark from '../../resources/icon.svg';
import { WaitingCalls } from '../approvals/waiting-calls.tsx';
import { FailedActionNotice } from '../frame/failed-action.tsx';
import { useFocusOnChange } from '../frame/focus.ts';
import { strings as frame } from '../frame/strings.ts';
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
  useFocusOnChange(page, step);
  const Step = STEPS[step];
  return (
    <div className={styles.window}>
      <header className={styles.header}>
        <p className={styles.brand}>
          <img src={mark} alt="" className={styles.mark} />
          {frame.product}
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
          <FailedActionNotice failed={state.failedAction} />
          <Step state={state} progress={progress} />
        </div>
      </main>
      <WaitingCalls state={state} />
    </div>
  );
}
