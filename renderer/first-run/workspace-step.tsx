import { Button, Skeleton } from '@mantine/core';
import { IconChevronRight, IconDatabase } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { Account } from '../../preload/contract.ts';
import { formatHost } from '../../preload/format.ts';
import { formatStatus, suggestedName } from '../accounts/format.ts';
import { useAction, useAnswer } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import { TextField } from '../shared/form.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import styles from './first-run.module.css';
import { StepPage } from './step-page.tsx';
import { strings } from './strings.ts';
import type { StepProps } from './use-progress.ts';

const { workspace: texts } = strings;

/** Which workspace: one that this computer knows, or else its URL. */
export function WorkspaceStep({ progress }: StepProps) {
  const { now } = progress;
  const [isTyping, setTyping] = useState(now.isNew || now.url !== '');
  const accounts = useAnswer(['first-run-accounts'], () => window.causeway.request.listAccounts(), { staleTime: 0 });
  const known = accounts.data ?? [];
  if (accounts.isPending) {
    return (
      <StepPage title={texts.title} lead={texts.lead}>
        <Skeleton height={96} />
      </StepPage>
    );
  }
  if (known.length === 0 || isTyping) {
    return (
      <UrlForm
        progress={progress}
        existingNames={known.map(({ name }) => name)}
        error={accounts.error}
        onRefresh={() => void accounts.refetch()}
        onBack={known.length > 0 ? () => setTyping(false) : undefined}
      />
    );
  }
  return (
    <StepPage
      title={texts.title}
      lead={texts.lead}
      footer={
        <>
          <Button variant="subtle" onClick={() => void accounts.refetch()}>
            {texts.refresh}
          </Button>
          <Button variant="default" onClick={() => setTyping(true)}>
            {texts.another}
          </Button>
        </>
      }
    >
      <Card title={texts.found} isFlush>
        {known.map((account) => (
          <KnownWorkspace
            key={account.name}
            account={account}
            onChoose={() => progress.connect(account.name, { isNew: false })}
          />
        ))}
      </Card>
    </StepPage>
  );
}

function KnownWorkspace({ account, onChoose }: { account: Account; onChoose(): void }) {
  const { name, host, state } = account;
  const isUnusable = state.status === 'unusable';
  return (
    <button type="button" className={styles.choice} disabled={isUnusable} onClick={onChoose}>
      <Icon of={IconDatabase} size="navigation" />
      <span className={styles.choiceText}>
        <span className={layout.name}>{name}</span>
        <span className={layout.quiet}>
          {isUnusable ? state.message : host === null ? texts.noHost : formatHost(host)}
        </span>
      </span>
      <span className={layout.quiet}>{formatStatus(account, false)}</span>
      <Icon of={IconChevronRight} />
    </button>
  );
}

interface UrlFormProps extends Pick<StepProps, 'progress'> {
  existingNames: readonly string[];
  /** Why the profiles could not be listed. */
  error: Error | null;
  onRefresh(): void;
  onBack: (() => void) | undefined;
}

function UrlForm({ progress, existingNames, error, onRefresh, onBack }: UrlFormProps) {
  const { now, type, connect } = progress;
  const { url, name: ownName, profile, isNew } = now;
  const corrects = isNew ? profile : null;
  const others = existingNames.filter((each) => each !== corrects);
  const name = ownName ?? suggestedName(url, others);
  const setUp = useAction(() => window.causeway.request.setUpWorkspace({ url, name, corrects }));
  // Not called if the entry was changed or left meanwhile, unlike the mutation's own.
  const onSuccess = (done: { profile: string; isNew: boolean }) =>
    connect(done.profile, { isNew: done.isNew, name: done.profile });
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const isReady = url.trim() !== '' && name.trim() !== '';
  return (
    <StepPage
      title={texts.title}
      lead={texts.lead}
      onSubmit={() => isReady && setUp.mutate(undefined, { onSuccess })}
      footer={
        <>
          {onBack ? (
            <Button variant="subtle" onClick={onBack}>
              {strings.back}
            </Button>
          ) : (
            <Button variant="subtle" onClick={onRefresh}>
              {texts.refresh}
            </Button>
          )}
          <Button type="submit" disabled={!isReady} loading={setUp.isPending}>
            {strings.continue}
          </Button>
        </>
      }
    >
      <Card>
        <FailureNotice error={error} />
        <TextField
          ref={field}
          label={texts.url}
          description={texts.urlHelp}
          placeholder={texts.urlExample}
          value={url}
          inputMode="url"
          spellCheck={false}
          onChange={(typed) => {
            setUp.reset();
            type({ url: typed });
          }}
        />
        {url.trim() !== '' && (
          <TextField
            label={texts.ownName}
            description={texts.ownNameHelp}
            value={name}
            spellCheck={false}
            onChange={(typed) => {
              setUp.reset();
              type({ name: typed });
            }}
          />
        )}
        <ActionFailure error={setUp.error} />
      </Card>
    </StepPage>
  );
}
