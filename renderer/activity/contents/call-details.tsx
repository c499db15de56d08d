import { Button, Modal } from '@mantine/core';
import type { ActivityCall, Recording } from '../../../preload/contract.ts';
import layout from '../../shared/layout.module.css';
import { useLast } from '../../shared/use-last.ts';
import { bytesInWords, durationInWords, outcomeInWords, outcomeMeans, serverInWords, whatInWords } from '../words.ts';
import styles from './contents.module.css';
import { RecordedContents } from './recorded-contents.tsx';
import { whyNotRecorded } from './words.ts';

interface CallDetailsProps {
  /** Null while none is open. */
  call: ActivityCall | null;
  recording: Recording;
  onClose(): void;
  /** The person wants contents to be recorded. */
  onTurnOn(): void;
}

/** One call: who, when, how long, how it went, and what was asked and answered where that was recorded. */
export function CallDetails({ call, recording, onClose, onTurnOn }: CallDetailsProps) {
  const shown = useLast(call);
  return (
    <Modal opened={call !== null} onClose={onClose} title={shown && whatInWords(shown)} size="xl">
      {shown && (
        <div className={`${layout.screen} ${styles.call}`}>
          <Facts call={shown} />
          {shown.contents === null ? (
            <NotRecorded recording={recording} onTurnOn={onTurnOn} />
          ) : (
            <RecordedContents number={shown.contents} recording={recording} />
          )}
        </div>
      )}
    </Modal>
  );
}

function Facts({ call }: { call: ActivityCall }) {
  const { clientName, path, profile, method, startedAt, durationMs, bytesFromClient, bytesToClient } = call;
  const facts: [name: string, value: string][] = [
    ['Client', clientName ?? 'An AI client'],
    ['Server', `${serverInWords(path)} (${path})`],
    ['Profile', profile ?? 'The default one'],
    ['Request', method],
    ['Began', exactTime(startedAt)],
    ['Took', durationInWords(durationMs)],
    ['Outcome', [outcomeInWords(call), outcomeMeans(call)].filter(Boolean).join('. ')],
    ['Size', `${bytesInWords(bytesFromClient)} asked, ${bytesInWords(bytesToClient)} answered`],
  ];
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function NotRecorded({ recording, onTurnOn }: Pick<CallDetailsProps, 'recording' | 'onTurnOn'>) {
  return (
    <section className={layout.stack} aria-label="Contents">
      <p className={layout.name}>What was asked and answered was not recorded.</p>
      <p>{whyNotRecorded(recording)}</p>
      {recording.status === 'off' && (
        <div className={layout.actions}>
          <Button variant="default" onClick={onTurnOn}>
            Record from now on…
          </Button>
        </div>
      )}
    </section>
  );
}

function exactTime(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}
