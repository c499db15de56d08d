import type { FilePlace, Sign } from './client.ts';
import type { Places } from './places.ts';

/** What a Flatpak application needs besides, for it sees only what it is allowed to. */
const WARNING =
  'This one is a Flatpak application, which starts only programs that it may see: allow it your home folder, and what lies outside with "flatpak override".';

/** A file below the configuration folder of whichever Flatpak application has the folder that it is in. */
export function inFlatpak({ flatpakConfig, bySystem, join }: Places, ...path: string[]): FilePlace[] {
  const folder = flatpakConfig(...path.slice(0, -1));
  const place: FilePlace = { role: 'also', path: join(folder, path.at(-1) ?? ''), if: folder, warning: WARNING };
  return bySystem({ darwin: [], win32: [], linux: [place] });
}

/** That a Flatpak application has such a folder. */
export function seenInFlatpak({ flatpakConfig, bySystem }: Places, ...folder: string[]): Sign[] {
  return bySystem({ darwin: [], win32: [], linux: [{ exists: flatpakConfig(...folder) }] });
}
