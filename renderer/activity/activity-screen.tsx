import { useEffect, useState } from 'react';
import type { Activity, ActivitySession, AttachedProxy, CallFilter, DesktopState } from '../../preload/contract.ts';
import { formatSessions } from '../../preload/format.ts';
import { unwrap } from '../shared/answered.ts';
import { ClientBadge } from '../shared/client-badge.tsx';
import layout from '../shared/layout.module.css';
import { RelativeTime } from '../shared/relative-time.tsx';
import { ScreenTitle } from '../shared/screen-head.tsx';
import styles from './activity.module.css';
import { Calls } from './calls.tsx';
import { formatBytes, formatCalls, formatClient, formatServer } from './format.ts';
import { LatencyPlot } from './latency-plot.tsx';
import { AskRecording, RecordingNotice, RecordingSwitch } from './recording.tsx';

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
const ANY: CallFilter = { client: null, path: null, tool: null, outcome: null, text: '', failedFirst: false };

/** The AI clients that are connected through the application, and their calls. */
export function ActivityScreen({ state: { proxies, recording } }: { state: DesktopState }) {
  const activity = useActivity();
  const [filter, setFilter] = useState(ANY);
  const [asking, setAsking] = useState(false);
  return (
    <div className={`${layout.screen} ${styles.screen}`}>
      <div className={`${layout.head} ${styles.head}`}>
        <div>
          <ScreenTitle>Activity</ScreenTitle>
          <p role="status">{formatSessions(proxies.length)}</p>
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

/** Main sends events of activity only while this screen is open. */
function useActivity(): Activity {
  const [activity, setActivity] = useState(NOTHING);
  useEffect(() => {
    const { request, on } = window.causeway;
    let isTold = false;
    const stop = on.activityChanged((now) => {
      isTold = true;
      setActivity(now);
    });
    unwrap(request.watchActivity({ on: true })).then(
      // The answer may arrive after a newer event.
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

interface SessionsProps {
  sessions: readonly ActivitySession[];
  more: number;
  /** The same, with the programs that started them. */
  proxies: readonly AttachedProxy[];
}

/** Who is connected just now, and how much has passed. */
function Sessions({ sessions, more, proxies }: SessionsProps) {
  if (proxies.length === 0) {
    return (
      <p className={layout.quiet}>
        An AI client that starts <code>causeway proxy</code> while Causeway runs appears here, for as long as it keeps
        its session.
      </p>
    );
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <ul className={`${layout.list} ${styles.sessions}`} aria-label="Sessions" tabIndex={0}>
        {sessions.map((session) => (
          <Session key={session.id} session={session} proxy={proxies.find(({ id }) => id === session.id)} />
        ))}
      </ul>
      {more > 0 && <p className={layout.quiet}>And {more} more.</p>}
    </>
  );
}

function Session({ session, proxy }: { session: ActivitySession; proxy: AttachedProxy | undefined }) {
  const { path, profile, pid, since, bytesFromClient, bytesToClient } = session;
  return (
    <li className={`${layout.row} ${layout.split} ${styles.session}`}>
      <span className={layout.name}>
        <ClientBadge mark={session.mark} />
        {formatClient(session, proxy)}
      </span>
      <span className={layout.quiet}>
        connected <RelativeTime at={since} />
      </span>
      <p className={layout.quiet}>
        <span title={path}>{formatServer(path)}</span> · {profile ?? 'default profile'} · process {pid}
      </p>
      <p className={layout.quiet}>
        {formatCalls(session)} · {formatBytes(bytesFromClient)} sent · {formatBytes(bytesToClient)} received
      </p>
    </li>
  );
}
