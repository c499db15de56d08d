import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './dialog.module.css';
import { Footer } from './footer.tsx';
import layout from './layout.module.css';
import { strings } from './strings.ts';
import { DialogToast } from './toast.tsx';

interface DialogProps {
  opened: boolean;
  title: ReactNode;
  onClose(): void;
  size?: 'md' | 'lg' | 'xl';
  /** Makes the dialog a form; one of the footer's buttons has the type `submit`. */
  onSubmit?: () => void;
  /** The buttons that end it, always in sight. A form inside that has its own state uses `Form`, whose actions stay in sight too. */
  footer?: ReactNode;
  children: ReactNode;
}

/** A dialog: what it holds scrolls between its title and its footer. */
export function Dialog({ opened, title, onClose, size = 'md', onSubmit, footer, children }: DialogProps) {
  const content = (
    <>
      <div className={layout.stack}>{children}</div>
      {footer && <Footer>{footer}</Footer>}
    </>
  );
  return (
    <Modal.Root opened={opened} onClose={onClose} size={size}>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Header className={styles.header}>
          <div className={styles.head}>
            <Modal.Title>{title}</Modal.Title>
            {opened && <DialogToast />}
          </div>
          <Modal.CloseButton aria-label={strings.close} />
        </Modal.Header>
        <Modal.Body>
          {onSubmit ? (
            <form
              noValidate
              onSubmit={(event) => {
                event.preventDefault();
                onSubmit();
              }}
            >
              {content}
            </form>
          ) : (
            content
          )}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
