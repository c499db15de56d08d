import { Button, Radio, Switch } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Recording } from '../../preload/contract.ts';
import { unwrap, useAction } from '../shared/answered.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import layout from '../shared/layout.module.css';
import { isForbidden, managedHint } from '../shared/managed.tsx';
import { ActionFailure } from '../shared/notice.tsx';
import { toast } from '../shared/toast.tsx';
import { useDesktopState } from '../shared/use-desktop-state.ts';
import styles from './contents.module.css';
import { clockTime } from './format.ts';
import { AT_MOST, formatRecorded, TIMES, timeLeft } from './recording-format.ts';
import { strings } from './strings.ts';

const texts = strings.recording;

/** How often the time that is left is shown again. */
const TICK_MS = 5_000;

/** Says that contents are being recorded and for how long, with the buttons that extend and stop it. */
export function RecordingNotice({ recording, recorded }: { recording: Recording; recorded: number }) {
  const stopping = useStop();
  const extending = useAction(() => window.causeway.request.recordContents({ durationMs: TIMES[0].durationMs }));
  if (recording.status === 'off') return null;
  return (
    <section className={`${layout.head} ${styles.on}`} aria-label={texts.region}>
      <div className={styles.onWords}>
        <p className={layout.name}>{texts.notice}</p>
        <p>
          <TimeLeft until={recording.until} /> {formatRecorded(recorded)} {texts.hint}
        </p>
      </div>
      <div className={layout.actions}>
        {recording.until !== null && (
          <Button variant="default" size="compact-sm" onClick={() => extending.mutate()}>
            {texts.extend}
          </Button>
        )}
        <Button size="compact-sm" loading={stopping.isPending} onClick={() => stopping.mutate()}>
          {texts.stop}
        </Button>
      </div>
      <ActionFailure error={stopping.error ?? extending.error} />
    </section>
  );
}

/** The switch for recording, off by default. Turning it off deletes what was recorded. */
export function RecordingSwitch({ recording, onTurnOn }: { recording: Recording; onTurnOn(): void }) {
  const stopping = useStop();
  const { managed } = useDesktopState();
  const isOn = recording.status === 'on';
  const isFixed = isForbidden(managed, 'recordContents');
  const hint = isFixed ? managedHint(managed, 'recordContents') : null;
  return (
    <div>
      <Switch
        label={texts.switch}
        description={hint ?? (isOn ? texts.on : texts.off)}
        checked={isOn}
        disabled={isFixed && !isOn}
        onChange={() => (isOn ? stopping.mutate() : onTurnOn())}
      />
      <ActionFailure error={stopping.error} />
    </div>
  );
}

function useStop() {
  return useAction(
    () => window.causeway.request.stopRecording(),
    () => toast(texts.stopped),
  );
}

function TimeLeft({ until }: { until: number | null }) {
  const [now, setNow] = useState(Date.now);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new end is shown at once
  useEffect(() => {
    setNow(Date.now());
    const ticking = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(ticking);
  }, [until]);
  const title = until === null ? undefined : texts.until(clockTime(until));
  return <span title={title}>{timeLeft(until, now)}</span>;
}

/** Says what would be recorded, where and how long, and begins only after the user agrees. */
export function AskRecording({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const [chosen, setChosen] = useState<string>(TIMES[0].value);
  const { durationMs } = TIMES.find(({ value }) => value === chosen) ?? TIMES[0];
  return (
    <ConfirmDialog
      opened={opened}
      title={texts.ask}
      verb={texts.begin}
      isGrave
      act={() => unwrap(window.causeway.request.recordContents({ durationMs }))}
      onClose={onClose}
    >
      <p>{texts.what}</p>
      <p>{AT_MOST}</p>
      <p>{texts.where}</p>
      <p className={layout.quiet}>{texts.secrets}</p>
      <Radio.Group value={chosen} onChange={setChosen} label={texts.howLong}>
        <div className={`${layout.stack} ${styles.times}`}>
          {TIMES.map(({ value, label }) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </div>
      </Radio.Group>
    </ConfirmDialog>
  );
}
