import type { Icon as Glyph } from '@tabler/icons-react';
import styles from './icon.module.css';

const SIZES = { inline: '1rem', navigation: '1.125rem', large: '1.75rem' } as const;

/** A glyph of the one icon set. It says nothing by itself: a word is beside it, or its button has a name. */
export function Icon({ of: Drawn, size = 'inline' }: { of: Glyph; size?: keyof typeof SIZES }) {
  return <Drawn aria-hidden className={styles.icon} size={SIZES[size]} stroke={1.75} />;
}
