import { Button, Checkbox, Modal, Radio, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Recording } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure } from '../shared/notice.tsx';
import { usePrevious } from '../shared/use-last.ts';
import styles from './contents.module.css';
import { AT_MOST, formatCount, formatRecorded, TIMES, timeLeft, whatClearingDeletes } from './format.ts';

/** How often the time that is left is shown anew. */
const TICK_MS = 5_000;

/** Says that contents are being recorded and for how long, with the buttons that extend and stop it. */
export function RecordingNotice({ recording, recorded }: { recording: Recording; recorded: number }) {
  const stopping = useStop();
  const extending = useMutation({
    mutationFn: () => unwrap(window.causeway.request.recordContents({ durationMs: TIMES[0].durationMs })),
  });
  if (recording.status === 'off') return null;
  return (
    <section className={`${layout.head} ${styles.on}`} aria-label="Recording">
      <div className={styles.onWords}>
        <p className={layout.name}>What is asked and answered is being recorded.</p>
        <p>
          <TimeLeft until={recording.until} /> {formatRecorded(recorded)} Select one in the list to read it.
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

/** The switch for recording, off by default. Turning it off deletes what was recorded. */
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
  return useMutation({ mutationFn: () => unwrap(window.causeway.request.stopRecording()) });
}

function TimeLeft({ until }: { until: number | null }) {
  const [now, setNow] = useState(Date.now);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new end is shown at once
  useEffect(() => {
    setNow(Date.now());
    const ticking = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(ticking);
  }, [until]);
  const title = until === null ? undefined : `Until ${new Date(until).toLocaleTimeString()}`;
  return <span title={title}>{timeLeft(until, now)}</span>;
}

/** Says what would be recorded, where and how long, and begins only after the user agrees. */
export function AskRecording({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const [chosen, setChosen] = useState<string>(TIMES[0].value);
  const { durationMs } = TIMES.find(({ value }) => value === chosen) ?? TIMES[0];
  return (
    <ConfirmDialog
      opened={opened}
      title="Record what is asked and answered?"
      verb="Record"
      isGrave
      act={() => unwrap(window.causeway.request.recordContents({ durationMs }))}
      onClose={onClose}
    >
      <p>
        Causeway then keeps what AI clients ask and what servers answer: queries, their results, whatever else they
        exchange. Kept are {AT_MOST}.
      </p>
      <p>
        It is in the memory of the application alone: in no file, not in the log, not in the diagnostics. When the time
        is over, when you stop it or when Causeway quits, all of it is deleted.
      </p>
      <p>
        Your sign-in is not part of what is kept. If somebody gives a password or a token to a tool, it is kept with the
        rest; what looks like one is not shown, copied or exported.
      </p>
      <Radio.Group value={chosen} onChange={setChosen} label="How long">
        <div className={`${layout.stack} ${styles.times}`}>
          {TIMES.map(({ value, label }) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </div>
      </Radio.Group>
    </ConfirmDialog>
  );
}

interface AskClearProps {
  opened: boolean;
  isRecording: boolean;
  /** How many calls are kept. */
  kept: number;
  /** Of how many calls contents are recorded. */
  recorded: number;
  clear(): Promise<unknown>;
  onClose(): void;
}

/** Asked only while contents are recorded: the list alone is soon full again, but they are nowhere else. */
export function AskClear({ opened, isRecording, kept, recorded, clear, onClose }: AskClearProps) {
  const deleted = usePrevious(kept > 0 ? whatClearingDeletes(kept, recorded) : null);
  return (
    <ConfirmDialog opened={opened} title="Clear the calls?" verb="Clear" isGrave act={clear} onClose={onClose}>
      <p>{deleted}</p>
      <p>
        {isRecording && 'The recording goes on with the calls that come from now on. '}
        AI clients stay connected, and files that you have exported stay as they are.
      </p>
    </ConfirmDialog>
  );
}

interface AskExportProps {
  opened: boolean;
  /** Of how many calls contents are recorded. */
  recorded: number;
  onClose(): void;
  onExport(withContents: boolean): void;
}

/** Asks whether an export includes recorded contents; by default it does not. Shown only where contents are recorded. */
export function AskExport({ opened, recorded, onClose, onExport }: AskExportProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Export calls">
      <Asking recorded={recorded} onClose={onClose} onExport={onExport} />
    </Modal>
  );
}

function Asking({ recorded, onClose, onExport }: Omit<AskExportProps, 'opened'>) {
  const [withContents, setWithContents] = useState(false);
  return (
    <div className={layout.stack}>
      <p>The file holds who called what, when, how long it took and how it went.</p>
      <Checkbox
        checked={withContents}
        onChange={({ currentTarget }) => setWithContents(currentTarget.checked)}
        label={`With what was asked and answered, as far as it is recorded: ${formatCount(recorded)}`}
      />
      {withContents && (
        <p>
          What looks like a password or a token is taken out; queries and their results are not. Causeway does not
          delete the file: mind who may read it.
        </p>
      )}
      <div className={layout.closing}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          data-autofocus
          onClick={() => {
            onExport(withContents);
            onClose();
          }}
        >
          Export…
        </Button>
      </div>
    </div>
  );
}
