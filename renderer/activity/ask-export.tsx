import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../shared/dialog.tsx';
import { strings as shared } from '../shared/strings.ts';
import { formatCount } from './format.ts';
import { strings } from './strings.ts';

interface AskExportProps {
  opened: boolean;
  /** Of how many calls contents are recorded. */
  recorded: number;
  onClose(): void;
  onExport(withContents: boolean): void;
}

/** Asks whether an export includes recorded contents; by default it does not. Shown only if contents are recorded. */
export function AskExport({ opened, recorded, onClose, onExport }: AskExportProps) {
  const [withContents, setWithContents] = useState(false);
  const { title, verb, what, include, mind } = strings.exporting;
  const close = () => {
    setWithContents(false);
    onClose();
  };
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={title}
      footer={
        <>
          <Button variant="default" onClick={close}>
            {shared.cancel}
          </Button>
          <Button
            data-autofocus
            onClick={() => {
              onExport(withContents);
              close();
            }}
          >
            {verb}
          </Button>
        </>
      }
    >
      <p>{what}</p>
      <Checkbox
        checked={withContents}
        onChange={({ currentTarget }) => setWithContents(currentTarget.checked)}
        label={include(formatCount(recorded))}
      />
      {withContents && <p>{mind}</p>}
    </Dialog>
  );
}
