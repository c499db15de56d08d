import {
  type SimpleIcon,
  siClaude,
  siClaudecode,
  siCline,
  siCursor,
  siGithubcopilot,
  siGooglegemini,
  siJetbrains,
  siLmstudio,
  siOpencode,
  siQwen,
  siWarp,
  siWindsurf,
  siZedindustries,
} from 'simple-icons';
import type { ClientMark } from '../../preload/contract.ts';
import styles from './client-badge.module.css';

/** The icons that rows of the client table name; those of the package that nobody names are not bundled. */
const ICONS: Record<string, SimpleIcon> = {
  siClaude,
  siClaudecode,
  siCline,
  siCursor,
  siGithubcopilot,
  siGooglegemini,
  siJetbrains,
  siLmstudio,
  siOpencode,
  siQwen,
  siWarp,
  siWindsurf,
  siZedindustries,
};

/** An AI client's mark, beside its name: its icon in the color of the text, or one or two letters. */
export function ClientBadge({ mark }: { mark: ClientMark | null }) {
  const icon = mark && 'icon' in mark ? ICONS[mark.icon] : undefined;
  return (
    <span className={styles.mark} aria-hidden="true">
      {icon ? (
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d={icon.path} />
        </svg>
      ) : (
        mark && 'monogram' in mark && mark.monogram
      )}
    </span>
  );
}
