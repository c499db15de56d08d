import { Button, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Recording } from '../../../preload/contract.ts';
import { answered } from '../../shared/answered.ts';
import layout from '../../shared/layout.module.css';
import { ActionFailure } from '../../shared/notice.tsx';
import styles from './contents.module.css';
import { recordedInWords, timeLeft } from './words.ts';

/** How often the time that is left is told anew, in milliseconds. */
const TICK = 5_000;

/** While contents are recorded: that they are, for how long, and the way to end it. */
export function RecordingNotice({ recording, recorded }: { recording: Recording; recorded: number }) {
  const stopping = useStop();
  const extending = useMutation({
    mutationFn: () => answered(window.causeway.request.recordContents({ minutes: 15 })),
  });
  if (recording.status === 'off') return null;
  return (
    <section className={`${layout.head} ${styles.on}`} aria-label="Recording">
      <div className={styles.onWords}>
        <p className={layout.name}>What is asked and answered is being recorded.</p>
        <p>
          <TimeLeft until={recording.until} /> {recordedInWords(recorded)} Select one in the list to read it.
        </p>
      </div>
      <div className={layout.actions}>
        {recording.until !== null && (
          <Button variant="default" size="compact-sm" onClick={() => extending.mutate()}>
            15 minutes more
          </Button>
        )}
        <Button size="compact-sm" loading={stopping.isPending} onClick={() => stopping.mutate()}>
          Stop and delete
        </Button>
      </div>
      <ActionFailure error={stopping.error ?? extending.error} />
    </section>
  );
}

/** The switch, off unless the person turns it on. Turning it off deletes what was recorded. */
export function RecordingSwitch({ recording, onTurnOn }: { recording: Recording; onTurnOn(): void }) {
  const stopping = useStop();
  const isOn = recording.status === 'on';
  return (
    <div>
      <Switch
        label="Record what is asked and answered"
        description={isOn ? 'In memory alone. Turning it off deletes it.' : 'Off: none of it is kept anywhere.'}
        checked={isOn}
        onChange={() => (isOn ? stopping.mutate() : onTurnOn())}
      />
      <ActionFailure error={stopping.error} />
    </div>
  );
}

function useStop() {
  return useMutation({ mutationFn: () => answered(window.causeway.request.stopRecording()) });
}

function TimeLeft({ until }: { until: number | null }) {
  const [now, setNow] = useState(Date.now);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new end is told at once
  useEffect(() => {
    setNow(Date.now());
    const ticking = setInterval(() => setNow(Date.now()), TICK);
    return () => clearInterval(ticking);
  }, [until]);
  const title = until === null ? undefined : `Until ${new Date(until).toLocaleTimeString()}`;
  return <span title={title}>{timeLeft(until, now)}</span>;
}
