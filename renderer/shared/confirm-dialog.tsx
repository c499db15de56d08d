import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { Footer } from './footer.tsx';
import layout from './layout.module.css';
import { ActionFailure } from './notice.tsx';
import { strings } from './strings.ts';

interface ConfirmDialogProps {
  opened: boolean;
  title: string;
  /** What the button says that does it: a verb and its object. */
  verb: string;
  /** It cannot be undone, or others feel it: the Enter key does not do it. */
  isGrave?: boolean;
  /** It deletes something, or ends the work of others: its button is red. */
  isDangerous?: boolean;
  act(): Promise<unknown>;
  onClose(): void;
  /** What will happen. */
  children: ReactNode;
}

/** Says what will happen, then does it. */
export function ConfirmDialog({ opened, title, onClose, ...rest }: ConfirmDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <ConfirmForm onClose={onClose} {...rest} />
    </Dialog>
  );
}

function ConfirmForm({
  verb,
  isGrave = false,
  isDangerous = false,
  act,
  onClose,
  children,
}: Omit<ConfirmDialogProps, 'opened' | 'title'>) {
  const acting = useMutation({ mutationFn: act, onSuccess: onClose });
  return (
    <div className={layout.stack}>
      {children}
      <ActionFailure error={acting.error} />
      <Footer>
        <Button variant="default" data-autofocus={isGrave || undefined} onClick={onClose}>
          {strings.cancel}
        </Button>
        <Button
          color={isDangerous ? 'danger' : 'accent'}
          data-autofocus={!isGrave || undefined}
          loading={acting.isPending}
          onClick={() => acting.mutate()}
        >
          {acting.error ? strings.tryAgain : verb}
        </Button>
      </Footer>
    </div>
  );
}
