import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCopy, IconExternalLink, IconLoader2 } from '@tabler/icons-react';
import type { AwaitedSignIn, SignInStep } from '../../preload/contract.ts';
import { formatHost } from '../../preload/format.ts';
import { useAction, useAnswer } from './answered.ts';
import { Icon } from './icon.tsx';
import layout from './layout.module.css';
import { ActionFailure } from './notice.tsx';
import { strings } from './strings.ts';
import { toast } from './toast.tsx';
import styles from './waiting-for-browser.module.css';

const { waiting } = strings;

interface WaitingForBrowserProps {
  /** Whose page it is: a profile's workspace, or the service behind a server. */
  of: AwaitedSignIn;
  /** The workspace's origin. */
  host: string;
  /** The user who is expected to sign in; null if that is not known. */
  user: string | null;
  /** The page's address, where the browser could not be opened and the user has to open it. */
  address?: string | null;
  step?: SignInStep['step'];
  onCancel(): void;
}

/** A sign-in that continues in the browser: what is awaited, and the ways back to the page or out of it. */
export function WaitingForBrowser(props: WaitingForBrowserProps) {
  const { of, host, user, address = null, step = 'waiting-for-browser', onCancel } = props;
  const { request } = window.causeway;
  const openAgain = useAction(() => request.openSignInPage(of));
  const copyLink = useAction(
    () => request.copySignInLink(of),
    () => toast(waiting.linkCopied, 'clipboard'),
  );
  const hasPage = step === 'waiting-for-browser' || step === 'waiting-for-other';
  return (
    <div className={styles.waiting}>
      <div className={styles.head}>
        <span className={styles.spinner} data-still={address !== null}>
          <Icon of={address === null ? IconLoader2 : IconAlertTriangle} size="navigation" />
        </span>
        <p role="status">{address === null ? waiting.steps[step] : waiting.noBrowser}</p>
      </div>
      <dl className={styles.facts}>
        <dt>{waiting.host}</dt>
        <dd>{formatHost(host)}</dd>
        {user !== null && (
          <>
            <dt>{waiting.user}</dt>
            <dd>{user}</dd>
          </>
        )}
      </dl>
      {address !== null && <pre className={styles.address}>{address}</pre>}
      <ActionFailure error={openAgain.error ?? copyLink.error} />
      <div className={layout.actions}>
        {hasPage && (
          <>
            <Button
              variant="default"
              leftSection={<Icon of={IconExternalLink} />}
              loading={openAgain.isPending}
              onClick={() => openAgain.mutate()}
            >
              {waiting.openAgain}
            </Button>
            <Button variant="default" leftSection={<Icon of={IconCopy} />} onClick={() => copyLink.mutate()}>
              {waiting.copyLink}
            </Button>
          </>
        )}
        <Button variant="default" onClick={onCancel}>
          {strings.cancel}
        </Button>
      </div>
    </div>
  );
}

/**
 * The same for the service behind a server. Shows nothing while no page of the service waits for the user.
 * @public
 */
export function WaitingForService({ server }: { server: string }) {
  const { request } = window.causeway;
  const { data } = useAnswer(['service-sign-in-page', server], () => request.serviceSignInPage({ server }), {
    gcTime: 0,
  });
  if (!data) return null;
  return (
    <WaitingForBrowser
      of={{ server }}
      host={data.host}
      user={data.user}
      onCancel={() => void request.cancelServiceSignIn({ server })}
    />
  );
}
