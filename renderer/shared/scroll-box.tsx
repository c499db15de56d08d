import type { ReactNode } from 'react';
import styles from './scroll-box.module.css';

/** Something long in its own place, which keys can scroll too. */
export function ScrollBox({
  label,
  className,
  children,
}: {
  label: string;
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by itself, so the keyboard has to reach it
    <section className={`${styles.box} ${className ?? ''}`} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
