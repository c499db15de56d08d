import {
  type Icon as Glyph,
  IconApps,
  IconArrowsExchange,
  IconBuilding,
  IconClipboardCopy,
  IconKeyboard,
  IconLogin2,
  IconLogout,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlus,
  IconRefresh,
  IconUser,
} from '@tabler/icons-react';
import { matchSorter } from 'match-sorter';
import type { Account, AiClient, DesktopState, ScreenName, WarehouseInfo } from '../../preload/contract.ts';
import { formatDetails, formatHost } from '../../preload/format.ts';
import { signInOffer } from '../accounts/format.ts';
import { TYPE_GLYPHS } from '../servers/server-icon.tsx';
import { isForbidden } from '../shared/managed.tsx';
import { SCREEN_TITLES } from '../shared/screen.ts';
import { isAdmin, SCREEN_ICONS } from './navigation.tsx';
import { shortcutOf } from './shortcuts.ts';
import { strings } from './strings.ts';

/** What a command does, for the palette to carry out. */
export type CommandAction =
  | { do: 'open'; screen: ScreenName; item?: string }
  | { do: 'add-server' }
  | { do: 'use-warehouse'; warehouse: WarehouseInfo }
  | { do: 'start-warehouse'; warehouse: WarehouseInfo }
  | { do: 'stop-warehouse' }
  | { do: 'change-default' }
  | { do: 'choose-profile'; profile: string }
  | { do: 'sign-in'; profile: string }
  | { do: 'sign-out'; profile: string }
  | { do: 'add-workspace' }
  | { do: 'copy-diagnostics' }
  | { do: 'check-for-updates' }
  | { do: 'show-shortcuts' };

type CommandGroup = keyof typeof strings.palette.groups;

/** One entry of the command palette. */
export interface Command {
  id: string;
  group: CommandGroup;
  label: string;
  description?: string | undefined;
  icon: Glyph;
  keys?: string | undefined;
  action: CommandAction;
}

/** What the palette has asked for when it opened. */
export interface CommandData {
  state: DesktopState;
  warehouses: readonly WarehouseInfo[];
  clients: readonly AiClient[];
  accounts: readonly Account[];
}

/** Everything that can be done from anywhere, in the order in which it is shown before anything is typed. */
export function commandsFor(data: CommandData): Command[] {
  return [...screens(data), ...warehouses(data), ...servers(data), ...clients(data), ...accounts(data), ...more(data)];
}

/** The commands that match what was typed, the best ones first; all of them before that. */
export function findCommands(commands: readonly Command[], query: string): Command[] {
  const text = query.trim();
  if (text === '') return [...commands];
  return matchSorter(commands, text, {
    keys: [
      'label',
      ({ group }) => strings.palette.groups[group],
      { key: 'description', maxRanking: matchSorter.rankings.CONTAINS },
    ],
  });
}

const { palette } = strings;

function screens({ state }: CommandData): Command[] {
  return Object.entries(SCREEN_TITLES)
    .filter((entry): entry is [ScreenName, string] => entry[0] in SCREEN_ICONS)
    .filter(([screen]) => screen !== 'overrides' || isAdmin(state))
    .map(([screen, label]) => ({
      id: `screen ${screen}`,
      group: 'screens',
      label,
      icon: SCREEN_ICONS[screen],
      keys: shortcutOf(screen),
      action: { do: 'open', screen },
    }));
}

function warehouses({ state, warehouses: all }: CommandData): Command[] {
  if (state.warehouse.status !== 'known') return [];
  const current = state.warehouse.effective.warehouse;
  const switching = all
    .filter(({ id }) => id !== current?.id)
    .map(
      (warehouse): Command => ({
        id: `use ${warehouse.id}`,
        group: 'warehouse',
        label: palette.switchTo(warehouse.name),
        description: formatDetails(warehouse),
        icon: IconArrowsExchange,
        action: { do: 'use-warehouse', warehouse },
      }),
    );
  return [...startOrStop(current), ...switching, ...workspaceDefault(state)];
}

/** What the workspace lets its admins do only. */
function workspaceDefault(state: DesktopState): Command[] {
  if (!isAdmin(state)) return [];
  const action = { do: 'change-default' } as const;
  return [{ id: 'change default', group: 'warehouse', label: palette.changeDefault, icon: IconBuilding, action }];
}

function startOrStop(warehouse: WarehouseInfo | null): Command[] {
  if (warehouse?.state === 'STOPPED') {
    const action = { do: 'start-warehouse', warehouse } as const;
    return [{ id: 'start', group: 'warehouse', label: palette.start(warehouse.name), icon: IconPlayerPlay, action }];
  }
  if (warehouse?.state === 'RUNNING' || warehouse?.state === 'STARTING') {
    const action = { do: 'stop-warehouse' } as const;
    return [{ id: 'stop', group: 'warehouse', label: palette.stop(warehouse.name), icon: IconPlayerStop, action }];
  }
  return [];
}

function servers({ state }: CommandData): Command[] {
  const listed = state.servers.map(
    ({ name, title, type, profile, state: { label } }): Command => ({
      id: `server ${name}`,
      group: 'servers',
      label: title,
      description: [...(title === name ? [] : [name]), label, profile].join(' · '),
      icon: TYPE_GLYPHS[type],
      action: { do: 'open', screen: 'servers', item: name },
    }),
  );
  const add: Command = {
    id: 'add server',
    group: 'servers',
    label: palette.addServer,
    icon: IconPlus,
    action: { do: 'add-server' },
  };
  return [...listed, add];
}

function clients({ clients: all }: CommandData): Command[] {
  return all.map(({ id, name }) => ({
    id: `client ${id}`,
    group: 'clients',
    label: name,
    icon: IconApps,
    action: { do: 'open', screen: 'clients', item: id },
  }));
}

function accounts({ state, accounts: all }: CommandData): Command[] {
  const each = all.flatMap((account): Command[] => {
    const { name, host } = account;
    const description = host === null ? undefined : formatHost(host);
    const offer = signInOffer(account);
    return [
      ...(name === state.profile
        ? []
        : [command(`profile ${name}`, palette.switchAccount(name), IconUser, { do: 'choose-profile', profile: name })]),
      ...(offer === 'sign-in'
        ? [command(`sign in ${name}`, palette.signIn(name), IconLogin2, { do: 'sign-in', profile: name })]
        : []),
      ...(offer === 'sign-out'
        ? [command(`sign out ${name}`, palette.signOut(name), IconLogout, { do: 'sign-out', profile: name })]
        : []),
    ].map((one) => ({ ...one, description }));
  });
  return [...each, command('add workspace', palette.addWorkspace, IconPlus, { do: 'add-workspace' })];
}

function command(id: string, label: string, icon: Glyph, action: CommandAction): Command {
  return { id, group: 'accounts', label, icon, action };
}

function more({ state }: CommandData): Command[] {
  const all: Command[] = [
    {
      id: 'diagnostics',
      group: 'more',
      label: palette.diagnostics,
      icon: IconClipboardCopy,
      action: { do: 'copy-diagnostics' },
    },
    {
      id: 'shortcuts',
      group: 'more',
      label: palette.shortcuts,
      icon: IconKeyboard,
      keys: 'mod+/',
      action: { do: 'show-shortcuts' },
    },
  ];
  if (state.update.status === 'not-possible-here' || isForbidden(state.managed, 'updates')) return all;
  return [
    ...all,
    {
      id: 'update',
      group: 'more',
      label: palette.update,
      icon: IconRefresh,
      action: { do: 'check-for-updates' },
    },
  ];
}
