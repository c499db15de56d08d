import {
  type Icon as Glyph,
  IconAlertTriangleFilled,
  IconCircle,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleXFilled,
} from '@tabler/icons-react';
import { Icon } from './icon.tsx';
import styles from './state-badge.module.css';

const GLYPHS = {
  good: IconCircleCheckFilled,
  changing: IconCircleDashed,
  resting: IconCircle,
  attention: IconAlertTriangleFilled,
  failed: IconCircleXFilled,
} as const satisfies Record<string, Glyph>;

export type StateTone = keyof typeof GLYPHS;

/** A state as an icon and one or two words, so that color never speaks alone. */
export function StateBadge({ tone, icon, children }: { tone: StateTone; icon?: Glyph; children: string }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      <Icon of={icon ?? GLYPHS[tone]} />
      <span>{children}</span>
    </span>
  );
}
