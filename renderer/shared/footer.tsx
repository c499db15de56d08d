import type { ReactNode } from 'react';
import styles from './footer.module.css';

interface FooterProps {
  /** Ends a page instead of a dialog or a part of one. */
  isOfPage?: boolean;
  children: ReactNode;
}

/** The buttons that end a dialog or a page, in sight while the rest scrolls. */
export function Footer({ isOfPage = false, children }: FooterProps) {
  return (
    <div className={styles.footer} data-footer={isOfPage ? 'page' : 'part'}>
      {children}
    </div>
  );
}
