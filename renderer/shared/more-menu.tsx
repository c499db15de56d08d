import { ActionIcon, Menu } from '@mantine/core';
import { type Icon as Glyph, IconDots } from '@tabler/icons-react';
import { Fragment, useRef } from 'react';
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
  const button = useRef<HTMLButtonElement>(null);
  const run = (item: MoreMenuItem) => {
    // A dialog that opens now returns the focus here, and not to the item, which is gone by then.
    button.current?.focus();
    item.onClick();
  };
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="gray" aria-label={label}>
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
              onClick={() => run(item)}
            >
              {item.label}
            </Menu.Item>
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
