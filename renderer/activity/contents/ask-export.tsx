import { Button, Checkbox, Modal } from '@mantine/core';
import { useState } from 'react';
import layout from '../../shared/layout.module.css';
import { countInWords } from '../words.ts';

interface AskExportProps {
  opened: boolean;
  /** Of how many calls contents are recorded. */
  recorded: number;
  onClose(): void;
  onExport(withContents: boolean): void;
}

/** Asked only where contents are recorded: whether the file is to hold them. Unless the person says so, it does not. */
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
        label={`With what was asked and answered, as far as it is recorded: ${countInWords(recorded)}`}
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
