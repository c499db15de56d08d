import { Question } from '../../shared/question.tsx';
import { useLast } from '../../shared/use-last.ts';
import { whatClearingDeletes } from './words.ts';

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
  const deleted = useLast(kept > 0 ? whatClearingDeletes(kept, recorded) : null);
  return (
    <Question opened={opened} title="Clear the calls?" verb="Clear" isGrave act={clear} onClose={onClose}>
      <p>{deleted}</p>
      <p>
        {isRecording && 'The recording goes on with the calls that come from now on. '}
        AI clients stay connected, and files that you have exported stay as they are.
      </p>
    </Question>
  );
}
