import { type ReactNode, useId } from 'react';
import styles from './card.module.css';

interface CardProps {
  /** A noun phrase; left out, the card is a mere frame. */
  title?: string;
  /** Buttons or a menu beside the title. */
  actions?: ReactNode;
  /** For rows that reach to the edge and have their own padding. */
  isFlush?: boolean;
  children: ReactNode;
}

/** What belongs together, in a frame, with its title and what can be done about it. */
export function Card({ title, actions, isFlush = false, children }: CardProps) {
  const id = useId();
  return (
    <section className={styles.card} aria-labelledby={title === undefined ? undefined : id}>
      {(title !== undefined || actions) && (
        <div className={styles.head}>
          {title !== undefined && (
            <h2 id={id} className={styles.title}>
              {title}
            </h2>
          )}
          {actions && <div className={styles.actions}>{actions}</div>}
        </div>
      )}
      <div className={styles.body} data-flush={isFlush}>
        {children}
      </div>
    </section>
  );
}
