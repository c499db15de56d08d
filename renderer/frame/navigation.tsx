import {
  type Icon as Glyph,
  IconActivity,
  IconAlertTriangleFilled,
  IconApps,
  IconBuildingWarehouse,
  IconServer,
  IconSettings,
  IconStethoscope,
  IconUserCircle,
  IconUsersGroup,
} from '@tabler/icons-react';
import { useId } from 'react';
import type { DesktopState, ScreenName } from '../../preload/contract.ts';
import { Icon } from '../shared/icon.tsx';
import { SCREEN_TITLES } from '../shared/screen.ts';
import { type Badge, useBadges } from './badges.ts';
import styles from './frame.module.css';
import { strings } from './strings.ts';

/** The screens that the side bar leads to, in its groups. Accounts are opened from the account switcher. */
const GROUPS: readonly { name: 'main' | 'admin' | 'end'; screens: readonly ScreenName[] }[] = [
  { name: 'main', screens: ['warehouse', 'servers', 'clients', 'activity'] },
  { name: 'admin', screens: ['overrides'] },
  { name: 'end', screens: ['settings', 'diagnostics'] },
];

export const SCREEN_ICONS: Record<ScreenName, Glyph> = {
  warehouse: IconBuildingWarehouse,
  servers: IconServer,
  clients: IconApps,
  activity: IconActivity,
  overrides: IconUsersGroup,
  accounts: IconUserCircle,
  settings: IconSettings,
  diagnostics: IconStethoscope,
};

/** The links to the screens, with what each has to tell. */
export function Navigation({ state, screen }: { state: DesktopState; screen: ScreenName }) {
  const badges = useBadges(state);
  const adminTitle = useId();
  return (
    <nav aria-label={strings.screens} className={styles.navigation}>
      {GROUPS.filter(({ name }) => name !== 'admin' || isAdmin(state)).map(({ name, screens }) => (
        <div key={name} className={styles.group} data-group={name}>
          {name === 'admin' && (
            <p id={adminTitle} className={styles.groupTitle}>
              {strings.admin}
            </p>
          )}
          <ul aria-labelledby={name === 'admin' ? adminTitle : undefined}>
            {screens.map((each) => (
              <ScreenLink key={each} screen={each} isOpen={each === screen} badge={badges[each]} />
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** Whether the user is known to be an admin of the open workspace. */
export function isAdmin({ warehouse }: DesktopState): boolean {
  return warehouse.status === 'known' && warehouse.effective.user.admin === true;
}

function ScreenLink({ screen, isOpen, badge }: { screen: ScreenName; isOpen: boolean; badge: Badge | undefined }) {
  const id = useId();
  return (
    <li className={styles.item}>
      <a
        href={`#${screen}`}
        className={styles.link}
        title={SCREEN_TITLES[screen]}
        aria-current={isOpen ? 'page' : undefined}
        aria-describedby={badge && id}
      >
        <Icon of={SCREEN_ICONS[screen]} size="navigation" />
        <span className={styles.linkText}>{SCREEN_TITLES[screen]}</span>
      </a>
      {badge && (
        <span className={styles.badge} data-warns={badge.warns} aria-hidden>
          {badge.warns && <Icon of={IconAlertTriangleFilled} />}
          <span className={styles.count}>{badge.count}</span>
        </span>
      )}
      {badge && (
        <span id={id} hidden>
          {badge.description}
        </span>
      )}
    </li>
  );
}
