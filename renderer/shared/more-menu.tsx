import { ActionIcon, Menu } from '@mantine/core';
import { type Icon as Glyph, IconDots } from '@tabler/icons-react';
import { Fragment } from 'react';
import { Icon } from './icon.tsx';

export interface MoreMenuItem {
  label: string;
  icon?: Glyph;
  onClick(): void;
  /** It deletes something: drawn in red. */
  isDangerous?: boolean;
  isDisabled?: boolean;
  /** A line separates it from the items above. */
  isSeparated?: boolean;
}

/** The actions that are not the one primary one. `label` names the button, such as “More actions for sales”. */
export function MoreMenu({ label, items }: { label: string; items: readonly MoreMenuItem[] }) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label}>
          <Icon of={IconDots} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map((item) => (
          <Fragment key={item.label}>
            {item.isSeparated && <Menu.Divider />}
            <Menu.Item
              leftSection={item.icon && <Icon of={item.icon} />}
              data-dangerous={item.isDangerous}
              disabled={item.isDisabled ?? false}
              onClick={item.onClick}
            >
              {item.label}
            </Menu.Item>
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
