import type { Icon as Glyph } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Card } from './card.tsx';
import styles from './empty-state.module.css';
import { Icon } from './icon.tsx';

interface EmptyStateProps {
  icon: Glyph;
  /** A noun phrase; left out where the sentence says it. */
  title?: string;
  /** What will be here, and how it comes. */
  text: ReactNode;
  /** The obvious next step, and at most one other. */
  actions?: ReactNode;
  children?: ReactNode;
}

/** What stands where there is nothing yet: an icon, a sentence and the next step. */
export function EmptyState({ icon, title, text, actions, children }: EmptyStateProps) {
  return (
    <Card>
      <div className={styles.empty}>
        <span aria-hidden className={styles.glyph}>
          <Icon of={icon} size="large" />
        </span>
        {title !== undefined && <h2>{title}</h2>}
        <p>{text}</p>
        {children}
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
    </Card>
  );
}
