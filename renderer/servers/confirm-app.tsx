import { Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { AppAddress } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { Dialog } from '../shared/dialog.tsx';
import { Footer } from '../shared/footer.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice, Notice } from '../shared/notice.tsx';
import styles from './servers.module.css';
import { strings } from './strings.ts';

interface ConfirmAppProps {
  opened: boolean;
  /** The app's name. */
  app: string;
  /** A server of the list, or an app that is not in it yet. */
  source: { server: string } | { profile: string };
  onConfirm(address: AppAddress): Promise<unknown>;
  onClose(): void;
}

const texts = strings.app;

/** Shows where a Databricks App is before a token goes there, and lets the user confirm it. */
export function ConfirmApp({ opened, app, source, onConfirm, onClose }: ConfirmAppProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.title(app)}>
      <ReviewApp app={app} source={source} back={strings.addDialog.cancel} onConfirm={onConfirm} onClose={onClose} />
    </Dialog>
  );
}

interface ReviewAppProps extends Omit<ConfirmAppProps, 'opened'> {
  /** What the button says that leads back. */
  back: string;
}

/** The same as a part of another dialog. */
export function ReviewApp({ app, source, back, onConfirm, onClose }: ReviewAppProps) {
  const { request } = window.causeway;
  const address = useQuery({
    queryKey: ['app-address', app, source],
    queryFn: () =>
      unwrap('server' in source ? request.findAppOf({ name: source.server }) : request.findApp({ ...source, app })),
    gcTime: 0,
    staleTime: 0,
  });
  const confirming = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const { data } = address;
  return (
    <div className={layout.stack}>
      {address.isPending && <Skeleton height={96} />}
      <FailureNotice error={address.error} onRetry={address.refetch} />
      {data && <Address address={data} />}
      <ActionFailure error={confirming.error} />
      <Footer>
        <Button variant="default" data-autofocus onClick={onClose}>
          {back}
        </Button>
        <Button
          disabled={!data}
          loading={confirming.isPending}
          onClick={() => {
            if (data) confirming.mutate(data);
          }}
        >
          {texts.confirm}
        </Button>
      </Footer>
    </div>
  );
}

function Address({ address: { origin, isUsual, confirmed, halt } }: { address: AppAddress }) {
  const isMoved = confirmed !== null && confirmed !== origin;
  return (
    <>
      <p>{texts.consequence}</p>
      <dl className={styles.facts}>
        <dt>{texts.address}</dt>
        <dd>
          <code>{origin}</code>
        </dd>
        {isMoved && (
          <>
            <dt>{texts.before}</dt>
            <dd>
              <code>{confirmed}</code>
            </dd>
          </>
        )}
      </dl>
      {isMoved && <Notice message={texts.changed} remedy={texts.changedRemedy} />}
      {!isUsual && <Notice message={texts.unusual} remedy={texts.unusualRemedy} />}
      {halt !== null && <p>{texts.halted(halt.words, halt.canStart)}</p>}
    </>
  );
}
