import { Button } from '@mantine/core';
import type { OtherSignIn } from '../../preload/contract.ts';
import { Notice } from '../shared/notice.tsx';
import styles from './frame.module.css';

/** Sign-ins that are under way to profiles that are not the open one: Accounts has a row for each instead. */
export function OtherSignIns({ signIns }: { signIns: readonly OtherSignIn[] }) {
  return signIns.map(({ profile, address }) => (
    <div key={profile} className={styles.failed}>
      <Notice
        tone="note"
        message={address ? `You are signing in to ${profile}.` : `You are signing in to ${profile} in your browser.`}
        remedy={address && `Your browser could not be opened. Copy this address into one: ${address}`}
      >
        <Button variant="default" onClick={() => void window.causeway.request.cancelSignInTo({ profile })}>
          Cancel
        </Button>
      </Notice>
    </div>
  ));
}
