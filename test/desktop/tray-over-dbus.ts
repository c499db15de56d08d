import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What comes before a command to run it in a session, such as `runuser -u ana --`; nothing for this one. */
type Bus = readonly string[];

/** One entry of the tray's menu, as the panel gets it. */
export interface MenuEntry {
  id: number;
  label: string;
  enabled: boolean;
  separator: boolean;
  /** Marked, as the chosen one of several. */
  chosen: boolean;
  /** How many submenus it is in. */
  depth: number;
}

/**
 * The tray icon of this session's one application, read and clicked as a panel does it (StatusNotifierItem, dbusmenu). It is looked
 * up for each use: the application creates it again in its first minute, and when it is started a second time.
 */
export class TrayOverDbus {
  readonly #bus: Bus;

  private constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** @throws if no application has an icon in the tray */
  static find(): Promise<TrayOverDbus> {
    return TrayOverDbus.findOn([]);
  }

  /**
   * The tray icon in another session than this process's.
   * @param bus what runs a command in that session: a session bus answers nobody but its own user
   * @throws if no application has an icon in the tray
   */
  static async findOn(bus: Bus): Promise<TrayOverDbus> {
    await menuOn(bus);
    return new TrayOverDbus(bus);
  }

  async entries(): Promise<MenuEntry[]> {
    const layout = await this.#call('GetLayout', 'int32 0', 'int32 -1', '@as []');
    return [...layout.matchAll(/<\((\d+), \{([^{}]*)\}/g)].map(({ index, 1: id, 2: properties = '' }) => ({
      id: Number(id),
      // `_` marks the letter to press, and `__` is an underscore (com.canonical.dbusmenu › label).
      label: textOf(properties, 'label').replaceAll(/_(_?)/g, '$1'),
      enabled: !properties.includes("'enabled': <false>"),
      separator: textOf(properties, 'type') === 'separator',
      chosen: /'toggle-state': <(?:int32 )?1>/.test(properties),
      depth: listsAround(layout.slice(0, index)) - 1,
    }));
  }

  async labels(): Promise<string[]> {
    return (await this.entries()).filter(({ separator }) => !separator).map(({ label }) => label);
  }

  /** The label of the entry that is marked, submenus included. */
  async chosen(): Promise<string | undefined> {
    return (await this.entries()).find(({ chosen }) => chosen)?.label;
  }

  /** How often a user clicks for an entry: on the icon, on each submenu, and on the entry. */
  async clicksTo(label: string): Promise<number | undefined> {
    const entry = (await this.entries()).find((each) => each.label === label);
    return entry && entry.depth + 2;
  }

  async click(label: string): Promise<void> {
    // The entries get new ids where the menu changes between reading and clicking.
    const clicked = await this.#event(label).catch(() => undefined);
    if (clicked === undefined) await this.#event(label);
  }

  async #event(label: string): Promise<string> {
    const entries = await this.entries();
    const entry = entries.find((candidate) => candidate.label === label);
    if (!entry)
      throw new Error(`The tray's menu has no "${label}", only ${entries.map((each) => each.label).join(', ')}.`);
    return this.#call('Event', `int32 ${entry.id}`, 'clicked', "<''>", 'uint32 0');
  }

  async #call(method: string, ...parameters: string[]): Promise<string> {
    const { destination, path } = await menuOn(this.#bus);
    return gdbus(this.#bus, destination, path, `com.canonical.dbusmenu.${method}`, ...parameters);
  }
}

/** Where the icon's menu is now. */
async function menuOn(bus: Bus): Promise<{ destination: string; path: string }> {
  const watcher = ['org.kde.StatusNotifierWatcher', '/StatusNotifierWatcher'] as const;
  const items = ['org.kde.StatusNotifierWatcher', 'RegisteredStatusNotifierItems'] as const;
  const registered = await property(bus, ...watcher, ...items);
  const [, destination, itemPath] = /'([^'/]+)(\/[^']+)'/.exec(registered) ?? [];
  if (!destination || !itemPath) throw new Error(`No tray icon is registered: ${registered}`);
  const menu = await property(bus, destination, itemPath, 'org.kde.StatusNotifierItem', 'Menu');
  const [, path] = /objectpath '([^']+)'/.exec(menu) ?? [];
  if (!path) throw new Error(`The tray icon has no menu: ${menu}`);
  return { destination, path };
}

function property(bus: Bus, destination: string, path: string, owner: string, name: string): Promise<string> {
  return gdbus(bus, destination, path, 'org.freedesktop.DBus.Properties.Get', owner, name);
}

async function gdbus(bus: Bus, destination: string, path: string, method: string, ...parameters: string[]) {
  const target = ['--dest', destination, '--object-path', path, '--method', method];
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  const [program = 'gdbus', ...args] = [...bus, 'gdbus', 'call', '--session', ...target, '--', ...parameters];
  const { stdout } = await run(program, args, { env });
  return stdout;
}

/** How many lists of children are open at the end of a text in GVariant's format. */
function listsAround(text: string): number {
  const bare = text.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, '');
  return bare.split('[').length - bare.split(']').length;
}

/** A string property as GVariant's text format writes it: in either kind of quotes, with backslashes. */
function textOf(properties: string, name: string): string {
  const [, single, double] =
    new RegExp(`'${name}': <(?:'((?:[^'\\\\]|\\\\.)*)'|"((?:[^"\\\\]|\\\\.)*)")>`).exec(properties) ?? [];
  return (single ?? double ?? '').replaceAll(/\\(.)/g, '$1');
}
