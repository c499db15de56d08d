import { Skeleton } from '@mantine/core';
import { useState } from 'react';
import type { DesktopState } from '../../preload/contract.ts';
import { Card } from '../shared/card.tsx';
import layout from '../shared/layout.module.css';
import { Managed } from '../shared/managed.tsx';
import { useItem } from '../shared/screen.ts';
import { ScreenTitle } from '../shared/screen-head.tsx';
import { SkeletonLines } from '../shared/skeleton-rows.tsx';
import styles from './activity.module.css';
import { CallPage } from './call-page.tsx';
import { Calls } from './calls.tsx';
import { DayChart } from './day-chart.tsx';
import { LatencyPlot } from './latency-plot.tsx';
import { NoCalls } from './no-calls.tsx';
import { AskRecording, RecordingNotice, RecordingSwitch } from './recording.tsx';
import { Sessions } from './sessions.tsx';
import { strings } from './strings.ts';
import { useActivity } from './use-activity.ts';
import { useCallFilter } from './use-call-filter.ts';

/** The AI clients that are connected through the application, and their calls; or one of the calls. */
export function ActivityScreen({ state }: { state: DesktopState }) {
  const [asking, setAsking] = useState(false);
  const item = useItem();
  const onTurnOn = () => setAsking(true);
  return (
    <>
      {item === null ? (
        <Overview state={state} onTurnOn={onTurnOn} />
      ) : (
        <CallPage id={Number(item)} proxies={state.proxies} recording={state.recording} onTurnOn={onTurnOn} />
      )}
      <AskRecording opened={asking} onClose={() => setAsking(false)} />
    </>
  );
}

function Overview({ state, onTurnOn }: { state: DesktopState; onTurnOn(): void }) {
  const { proxies, recording } = state;
  const activity = useActivity();
  return (
    <div className={`${layout.screen} ${styles.screen}`}>
      <div className={layout.head}>
        <div>
          <ScreenTitle>{strings.title}</ScreenTitle>
          <p role="status" className={layout.quiet}>
            {strings.sessions.count(proxies.length)}
          </p>
        </div>
        <RecordingSwitch recording={recording} onTurnOn={onTurnOn} />
      </div>
      <Managed managed={state.managed} by={['recordContents', 'audit']} />
      <RecordingNotice recording={recording} recorded={activity?.recorded ?? 0} />
      <Sessions sessions={activity?.sessions ?? []} more={activity?.moreSessions ?? 0} state={state} />
      <CallsSoFar state={state} activity={activity} />
    </div>
  );
}

function CallsSoFar({ state, activity }: { state: DesktopState; activity: ReturnType<typeof useActivity> }) {
  const [filter, setFilter] = useCallFilter();
  if (!activity || !filter) return <Loading />;
  if (activity.kept === 0) return <NoCalls state={state} />;
  return (
    <>
      <div className={`${layout.columns} ${styles.charts}`}>
        <DayChart filter={filter} newest={activity.newest} />
        <LatencyPlot filter={filter} />
      </div>
      <Calls
        activity={activity}
        filter={filter}
        onFilter={setFilter}
        recording={state.recording}
        servers={state.servers}
      />
    </>
  );
}

/** Placeholders in the shape of the charts and the table. */
function Loading() {
  return (
    <>
      <div className={`${layout.columns} ${styles.charts}`}>
        {[strings.day.title, strings.latency.title].map((title) => (
          <Card key={title} title={title}>
            <Skeleton height={140} />
          </Card>
        ))}
      </div>
      <Card title={strings.calls.title} isFlush>
        <SkeletonLines count={4} />
      </Card>
    </>
  );
}
