import { useEffect, useState } from 'react';
import type { Activity, CallFilter, DesktopState } from '../../preload/contract.ts';
import { sessionsInWords } from '../../preload/words.ts';
import { answered } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ScreenTitle } from '../shared/screen-head.tsx';
import styles from './activity.module.css';
import { Calls } from './calls.tsx';
import { AskRecording } from './contents/ask-recording.tsx';
import { RecordingNotice, RecordingSwitch } from './contents/recording.tsx';
import { LatencyPlot } from './latency-plot.tsx';
import { Sessions } from './sessions.tsx';

const NOTHING: Activity = {
  sessions: [],
  moreSessions: 0,
  kept: 0,
  newest: 0,
  recorded: 0,
  clients: [],
  paths: [],
  tools: [],
};
const ANY: CallFilter = { client: null, path: null, tool: null, outcome: null };

/** The AI clients that go through the application just now, and what they have asked for. */
export function ActivityScreen({ state: { proxies, recording } }: { state: DesktopState }) {
  const activity = useActivity();
  const [filter, setFilter] = useState(ANY);
  const [asking, setAsking] = useState(false);
  return (
    <div className={`${layout.screen} ${styles.screen}`}>
      <div className={`${layout.head} ${styles.head}`}>
        <div>
          <ScreenTitle>Activity</ScreenTitle>
          <p role="status">{sessionsInWords(proxies.length)}</p>
        </div>
        <RecordingSwitch recording={recording} onTurnOn={() => setAsking(true)} />
      </div>
      <RecordingNotice recording={recording} recorded={activity.recorded} />
      <Sessions sessions={activity.sessions} more={activity.moreSessions} proxies={proxies} />
      <LatencyPlot filter={filter} kept={activity.kept} />
      <Calls
        activity={activity}
        filter={filter}
        onFilter={setFilter}
        recording={recording}
        onTurnOn={() => setAsking(true)}
      />
      <p className={layout.quiet}>
        Kept are the last 50,000 calls: who called what, when, how long it took and how it went. The list is in memory
        alone and gone when Causeway quits. What was asked and answered is not part of it unless you turn that on above,
        for a time.
      </p>
      <AskRecording opened={asking} onClose={() => setAsking(false)} />
    </div>
  );
}

/** Main tells of activity only while this screen is open. */
function useActivity(): Activity {
  const [activity, setActivity] = useState(NOTHING);
  useEffect(() => {
    const { request, on } = window.causeway;
    let isTold = false;
    const stop = on.activityChanged((now) => {
      isTold = true;
      setActivity(now);
    });
    answered(request.watchActivity({ on: true })).then(
      // It may have been overtaken by an event that follows it.
      (now) => {
        if (!isTold) setActivity(now);
      },
      () => {},
    );
    return () => {
      stop();
      void request.watchActivity({ on: false });
    };
  }, []);
  return activity;
}
