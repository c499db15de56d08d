import { Radio } from '@mantine/core';
import { useState } from 'react';
import { answered } from '../../shared/answered.ts';
import layout from '../../shared/layout.module.css';
import { Question } from '../../shared/question.tsx';
import styles from './contents.module.css';
import { AT_MOST, TIMES } from './words.ts';

/** Says what would be recorded, where and how long, and begins only once the person has agreed. */
export function AskRecording({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const [chosen, setChosen] = useState<string>(TIMES[0].value);
  const minutes = (TIMES.find(({ value }) => value === chosen) ?? TIMES[0]).minutes;
  return (
    <Question
      opened={opened}
      title="Record what is asked and answered?"
      verb="Record"
      isGrave
      act={() => answered(window.causeway.request.recordContents({ minutes }))}
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
    </Question>
  );
}
