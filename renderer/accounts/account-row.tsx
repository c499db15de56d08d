import { Button } from '@mantine/core';
import type { Account, DesktopState, SignInStep } from '../../preload/contract.ts';
import { hostInWords } from '../../preload/words.ts';
import layout from '../shared/layout.module.css';
import styles from './accounts.module.css';
import { expiryInWords, methodInWords, signInOffer, statusInWords } from './words.ts';

interface AccountRowProps {
  account: Account;
  state: DesktopState;
  onSignOut(): void;
  onEdit(): void;
}

/** One profile: where, who, how, for how long, and what can be done about it. */
export function AccountRow({ account, state, onSignOut, onEdit }: AccountRowProps) {
  const { request } = window.causeway;
  const { name, host, isDefault } = account;
  const isOpen = state.profile === name;
  const signingIn = signInOf(name, state);
  const offer = signingIn ? null : signInOffer(account);
  const details = [methodInWords(account), whoIs(account, state), expiryInWords(account, Date.now())];
  return (
    <li className={`${layout.row} ${layout.split}`}>
      <div>
        <p>
          <span className={layout.name}>{name}</span>
          {isOpen && <span className={styles.mark}>open now</span>}
          {isDefault && <span className={styles.mark}>default</span>}
        </p>
        {host && <p className={layout.quiet}>{hostInWords(host)}</p>}
        {account.state.status !== 'unusable' && <p className={layout.quiet}>{details.filter(Boolean).join(' · ')}</p>}
        <Trouble account={account} />
        {signingIn?.address && (
          <p className={layout.quiet}>
            Your browser could not be opened. Copy this address into one: {signingIn.address}
          </p>
        )}
      </div>
      <div className={styles.side}>
        <span className={styles.status} role="status">
          {statusInWords(account, signingIn !== undefined)}
        </span>
        {signingIn && (
          <Button variant="default" size="compact-sm" onClick={() => void request.cancelSignInTo({ profile: name })}>
            Cancel
          </Button>
        )}
        {offer === 'sign-in' && (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={`Sign in to ${name}`}
            onClick={() => void request.signInTo({ profile: name })}
          >
            Sign in
          </Button>
        )}
        {offer === 'sign-out' && (
          <Button variant="default" size="compact-sm" aria-label={`Sign out of ${name}…`} onClick={onSignOut}>
            Sign out…
          </Button>
        )}
        {!signingIn && (
          <Button variant="default" size="compact-sm" aria-label={`Edit ${name}…`} onClick={onEdit}>
            Edit…
          </Button>
        )}
      </div>
    </li>
  );
}

/** The sign-in to a profile that is under way. */
function signInOf(name: string, { profile, warehouse, otherSignIns }: DesktopState): SignInStep | undefined {
  if (profile === name && warehouse.status === 'signing-in') return warehouse;
  return otherSignIns.find((each) => each.profile === name);
}

function Trouble({ account: { state } }: { account: Account }) {
  if (state.status === 'unusable') return <p className={`${layout.trouble} ${styles.trouble}`}>{state.message}</p>;
  if (state.status !== 'unreadable') return null;
  const { message, remedy } = state.problem;
  return <p className={`${layout.trouble} ${styles.trouble}`}>{[message, remedy].filter(Boolean).join(' ')}</p>;
}

/** Known from the sign-in itself, and for the open profile from its workspace. */
function whoIs({ name, state }: Account, { profile, warehouse }: DesktopState): string {
  if (profile === name && warehouse.status === 'known') return warehouse.effective.user.userName;
  return state.status === 'signed-in' ? (state.userName ?? '') : '';
}
