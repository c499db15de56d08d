import { Anchor, Button, Skeleton } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { formatBytes, formatDuration } from '../../preload/contract/words/figures.ts';
import type { ActivityCall, DesktopState, Recording } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { isForbidden, managedHint } from '../shared/managed.tsx';
import { FailureNotice, Notice } from '../shared/notice.tsx';
import { addressOf } from '../shared/screen.ts';
import { ScreenTitle } from '../shared/screen-head.tsx';
import { StateBadge } from '../shared/state-badge.tsx';
import { useDesktopState } from '../shared/use-desktop-state.ts';
import { CallChain } from './call-chain.tsx';
import styles from './call-page.module.css';
import { problemIn } from './chain.ts';
import { formatCallOutcome, formatClient, formatMoment, formatWhat, serverOf, toneOf } from './format.ts';
import { RecordedContentsView } from './recorded-contents.tsx';
import { whyNotRecorded } from './recording-format.ts';
import { isStillOpen, StatementCard } from './statement-card.tsx';
import { strings } from './strings.ts';

interface CallPageProps {
  id: number;
  proxies: DesktopState['proxies'];
  recording: Recording;
  /** Called when the user wants contents to be recorded. */
  onTurnOn(): void;
}

const texts = strings.call;

/** How often a page is read again while more may become known of its statement, in milliseconds. */
const LOOK_AGAIN_MS = 2_000;

/** One call: the path it took with times, what failed and what to do, and its contents where these were recorded. */
export function CallPage({ id, proxies, recording, onTurnOn }: CallPageProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['activity-call', id],
    queryFn: async () => ({ call: await unwrap(window.causeway.request.activityCall({ id })) }),
    enabled: Number.isFinite(id),
    gcTime: 0,
    refetchInterval: ({ state }) => (state.data?.call && isStillOpen(state.data.call) ? LOOK_AGAIN_MS : false),
  });
  const call = Number.isFinite(id) ? data?.call : null;
  return (
    <div className={layout.screen}>
      <Anchor href={addressOf('activity')} className={styles.back}>
        <Icon of={IconArrowLeft} /> {strings.back}
      </Anchor>
      <FailureNotice error={error} onRetry={refetch} />
      {call === undefined && !error && <Skeleton height={240} />}
      {call === null && (
        <>
          <ScreenTitle>{texts.missing}</ScreenTitle>
          <p>{texts.missingHint}</p>
        </>
      )}
      {call && <Shown call={call} proxies={proxies} recording={recording} onTurnOn={onTurnOn} />}
    </div>
  );
}

interface ShownProps {
  call: ActivityCall;
  proxies: DesktopState['proxies'];
  recording: Recording;
  onTurnOn(): void;
}

function Shown({ call, proxies, recording, onTurnOn }: ShownProps) {
  const problem = problemIn(call);
  const isClientGone = !proxies.some(({ id }) => id === call.session);
  const isRecorded = call.contents !== null;
  return (
    <>
      <div className={layout.head}>
        <div>
          <ScreenTitle>{formatWhat(call)}</ScreenTitle>
          <p className={layout.quiet}>{texts.when(formatMoment(call.startedAt), formatDuration(call.durationMs))}</p>
        </div>
        <StateBadge tone={toneOf(call)}>{formatCallOutcome(call)}</StateBadge>
      </div>
      {problem && (
        <Notice
          tone={call.outcome === 'cancelled' ? 'note' : 'warning'}
          message={problem.message}
          remedy={isRecorded && call.outcome !== 'lost' ? null : problem.remedy}
        />
      )}
      {call.statement && <StatementCard call={call} statement={call.statement} isClientGone={isClientGone} />}
      <Card title={texts.path}>
        <CallChain call={call} />
      </Card>
      <Card title={texts.details}>
        <Facts call={call} />
      </Card>
      <Card title={texts.contents}>
        {call.contents === null ? (
          <NotRecorded recording={recording} onTurnOn={onTurnOn} />
        ) : (
          <RecordedContentsView number={call.contents} recording={recording} />
        )}
      </Card>
    </>
  );
}

function Facts({ call }: { call: ActivityCall }) {
  const { path, profile, user, method, tool, startedAt, durationMs, bytesFromClient, bytesToClient, problem } = call;
  const { fact } = texts;
  const facts: [name: string, value: string | null][] = [
    [fact.client, formatClient(call)],
    [fact.server, fact.serverAt(serverOf(call), path)],
    [fact.profile, profile ?? strings.defaultProfile],
    [fact.user, user],
    [fact.request, method],
    [fact.tool, tool],
    [fact.began, formatMoment(startedAt)],
    [fact.took, formatDuration(durationMs)],
    [fact.size, fact.sizes(formatBytes(bytesFromClient), formatBytes(bytesToClient))],
    [strings.outcomes.error, problem?.code ?? null],
  ];
  return (
    <dl className={styles.facts}>
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function NotRecorded({ recording, onTurnOn }: Pick<ShownProps, 'recording' | 'onTurnOn'>) {
  const { none, record } = strings.contents;
  const { managed } = useDesktopState();
  const isFixed = isForbidden(managed, 'recordContents');
  const hint = isFixed ? managedHint(managed, 'recordContents') : null;
  return (
    <>
      <p>
        {none} <span className={layout.quiet}>{hint ?? whyNotRecorded(recording)}</span>
      </p>
      {recording.status === 'off' && (
        <div className={layout.actions}>
          <Button variant="default" disabled={isFixed} onClick={onTurnOn}>
            {record}
          </Button>
        </div>
      )}
    </>
  );
}
