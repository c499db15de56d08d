import type { ReactNode } from 'react';
import styles from './footer.module.css';

/** The buttons that end a dialog or a page, in sight while the rest scrolls. */
export function Footer({ children }: { children: ReactNode }) {
  return (
    <div className={styles.footer} data-footer>
      {children}
    </div>
  );
}
