import type { ScreenName } from '../../preload/contract.ts';
import { SCREEN_TITLES } from '../shared/screen.ts';
import styles from './frame.module.css';

/** The way from screen to screen. */
export function Navigation({ screen }: { screen: ScreenName }) {
  return (
    <nav aria-label="Screens" className={styles.navigation}>
      <ul>
        {Object.entries(SCREEN_TITLES).map(([name, title]) => (
          <li key={name}>
            <a href={`#${name}`} className={styles.link} aria-current={name === screen ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
