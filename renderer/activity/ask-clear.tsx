import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { usePrevious } from '../shared/use-last.ts';
import { whatClearingDeletes } from './recording-format.ts';
import { strings } from './strings.ts';

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

/** Says what is deleted and what stays. */
export function AskClear({ opened, isRecording, kept, recorded, clear, onClose }: AskClearProps) {
  const { title, verb, goesOn, stays } = strings.clearing;
  const deleted = usePrevious(kept > 0 ? whatClearingDeletes(kept, recorded) : null);
  return (
    <ConfirmDialog opened={opened} title={title} verb={verb} isGrave isDangerous act={clear} onClose={onClose}>
      <p>{deleted}</p>
      <p>
        {isRecording && `${goesOn} `}
        {stays}
      </p>
    </ConfirmDialog>
  );
}
