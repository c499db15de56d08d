import { describe, expect, it } from 'vitest';
import { applicationMenu, type MenuEntry, menuTemplate } from '../../../main/desktop/menu/application-menu.ts';
import { dockMenu, userTasks } from '../../../main/desktop/menu/launcher-menus.ts';
import { projectAddresses } from '../../../main/desktop/menu/project.ts';
import { linkIn, screenOfLink } from '../../../main/desktop/window/navigation.ts';

/** A menu as lines: roles in angle brackets, shortcuts behind their entry. */
function linesOf(entries: readonly MenuEntry[]): string[] {
  return entries.flatMap((entry) => {
    if ('type' in entry) return ['---'];
    if ('submenu' in entry) return [entry.label, ...linesOf(entry.submenu).map((line) => `  ${line}`)];
    if ('role' in entry) return [`<${entry.role}>`];
    return [[entry.label, entry.accelerator].filter(Boolean).join('  ')];
  });
}

const GO = [
  'Go',
  '  Warehouse  CommandOrControl+1',
  '  Servers  CommandOrControl+2',
  '  AI clients  CommandOrControl+3',
  '  Activity  CommandOrControl+4',
];

describe('the application menu', () => {
  const menu = (platform: NodeJS.Platform) => applicationMenu(platform).map((entry) => 'label' in entry && entry.label);

  it.each([
    ['linux', ['File', 'Edit', 'View', 'Go', 'Window', 'Help']],
    ['win32', ['File', 'Edit', 'View', 'Go', 'Window', 'Help']],
    ['darwin', ['Causeway', 'File', 'Edit', 'View', 'Go', 'Window', 'Help']],
  ] as const)('has these menus on %s', (platform, labels) => {
    expect(menu(platform)).toEqual(labels);
  });

  it.each(['linux', 'win32', 'darwin'] as const)(
    'leads to every screen by Ctrl or Cmd with its number on %s',
    (platform) => {
      const lines = linesOf(applicationMenu(platform));
      const from = lines.indexOf('Go');
      expect(lines.slice(from, from + GO.length)).toEqual(GO);
      expect(lines.filter((line) => /CommandOrControl\+[1-8]$/.test(line))).toHaveLength(8);
      expect(lines.some((line) => line.trim() === 'Settings…  CommandOrControl+,')).toBe(true);
      expect(lines).toContain('  Command Palette…  CommandOrControl+K');
    },
  );

  it('has its own items in the application menu on macOS, and in File and Help elsewhere', () => {
    const mac = linesOf(applicationMenu('darwin'));
    expect(mac.slice(0, 4)).toEqual(['Causeway', '  <about>', '  Check for Updates…', '  ---']);
    expect(mac.slice(mac.indexOf('File'), mac.indexOf('Edit'))).toEqual(['File', '  <close>']);
    expect(mac.slice(mac.indexOf('Help'))).toEqual([
      'Help',
      '  Keyboard Shortcuts  CommandOrControl+/',
      '  ---',
      '  Support Report',
    ]);
    const linux = linesOf(applicationMenu('linux'));
    expect(linux.slice(0, 5)).toEqual(['File', '  Settings…  CommandOrControl+,', '  ---', '  <close>', '  <quit>']);
    expect(linux.slice(linux.indexOf('Help'))).toEqual([
      'Help',
      '  Keyboard Shortcuts  CommandOrControl+/',
      '  ---',
      '  Support Report',
      '  ---',
      '  Check for Updates…',
      '  About Causeway',
    ]);
  });

  it('leads to the documentation and the issue tracker once the project has addresses', () => {
    const help = applicationMenu('linux', {
      homepage: 'https://example.com/docs',
      bugs: 'https://example.com/bugs',
    }).at(-1);
    expect(help && linesOf([help])).toEqual([
      'Help',
      '  Documentation',
      '  Keyboard Shortcuts  CommandOrControl+/',
      '  ---',
      '  Support Report',
      '  Report a Problem',
      '  ---',
      '  Check for Updates…',
      '  About Causeway',
    ]);
  });

  it('takes the addresses from package.json', () => {
    const bugs = { url: 'https://example.com/bugs' };
    expect(projectAddresses({ homepage: 'https://example.com', bugs })).toEqual({
      homepage: 'https://example.com',
      bugs: bugs.url,
    });
    expect(projectAddresses()).toEqual({ homepage: undefined, bugs: undefined });
  });

  it.each(['linux', 'win32', 'darwin'] as const)('gives no two items the same shortcut on %s', (platform) => {
    const shortcuts = linesOf(applicationMenu(platform)).flatMap(
      (line) => /CommandOrControl\+.$/.exec(line)?.[0] ?? [],
    );
    expect(new Set(shortcuts).size).toBe(shortcuts.length);
  });

  it('runs the command of the item that is clicked', () => {
    const ran: unknown[] = [];
    const template = menuTemplate(applicationMenu('linux'), (command) => ran.push(command));
    const entries = template.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));
    for (const label of ['Command Palette…', 'Servers', 'Keyboard Shortcuts', 'Check for Updates…']) {
      const { click } = entries.find((entry) => entry.label === label) ?? {};
      Reflect.apply(click ?? expect.unreachable, undefined, []);
    }
    expect(ran).toEqual([
      { do: 'in-window', command: 'palette' },
      { do: 'show', screen: 'servers' },
      { do: 'in-window', command: 'shortcuts' },
      { do: 'check-for-updates' },
    ]);
  });
});

describe('the jump list on Windows', () => {
  const tasks = userTasks('C:\\Program Files\\Causeway\\Causeway.exe', []);

  it('opens the window and leads to screens through links', () => {
    expect(tasks.map(({ title, arguments: args }) => [title, args])).toEqual([
      ['Open Causeway', ''],
      ['Warehouse', '"causeway://open/warehouse"'],
      ['Servers', '"causeway://open/servers"'],
      ['Activity', '"causeway://open/activity"'],
      ['Settings', '"causeway://open/settings"'],
    ]);
  });

  it('has only links that the application follows', () => {
    const links = tasks.flatMap(({ arguments: args }) => linkIn(args.split('"')) ?? []);
    expect(links.map(screenOfLink)).toEqual(['warehouse', 'servers', 'activity', 'settings']);
  });

  it('names the application’s folder first if the application is not packaged', () => {
    const [open, warehouse] = userTasks('electron.exe', ['C:\\my causeway']);
    expect(open?.arguments).toBe('"C:\\my causeway"');
    expect(warehouse?.arguments).toBe('"C:\\my causeway" "causeway://open/warehouse"');
  });
});

it('the Dock menu leads to the same screens', () => {
  expect(dockMenu().map(({ screen }) => screen)).toEqual(['warehouse', 'servers', 'activity', 'settings']);
});
