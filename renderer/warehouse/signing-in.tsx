import { Button } from '@mantine/core';
import type { WarehouseState } from '../../preload/contract.ts';
import { FirstSteps } from '../shared/first-steps.tsx';
import layout from '../shared/layout.module.css';
import { ScreenTitle } from '../shared/screen-head.tsx';
import styles from './warehouse.module.css';

type SigningInState = Extract<WarehouseState, { status: 'signing-in' }>;

const STEPS: Record<SigningInState['step'], string> = {
  starting: 'Opening your browser…',
  'waiting-for-browser': 'Waiting for the browser. Sign in there, then come back here.',
  'waiting-for-other': 'Another program on this computer is asking you to sign in already. Answer there.',
  finishing: 'Almost done…',
};

interface SigningInProps extends Pick<SigningInState, 'step' | 'address'> {
  /** There is no server yet. */
  isFirstRun: boolean;
}

/** A sign-in that is under way in the browser. */
export function SigningIn({ step, address, isFirstRun }: SigningInProps) {
  return (
    <div className={layout.screen}>
      <ScreenTitle>Signing in</ScreenTitle>
      {isFirstRun && <FirstSteps step="sign-in" />}
      <p role="status">{STEPS[step]}</p>
      {address && (
        <>
          <p>Your browser could not be opened. Copy this address into one:</p>
          <pre className={styles.address}>{address}</pre>
        </>
      )}
      <div>
        <Button variant="default" onClick={() => void window.causeway.request.cancelSignIn()}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
