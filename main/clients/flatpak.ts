import type { Places } from './places.ts';

/** A file below the configuration folder of whichever Flatpak application has the folder that it is in. */
export function inFlatpak({ flatpakConfig, bySystem, join }: Places, ...path: string[]) {
  const folder = flatpakConfig(...path.slice(0, -1));
  const place = {
    role: 'also' as const,
    path: join(folder, path.at(-1) ?? ''),
    if: folder,
    warning:
      'This one is a Flatpak application, which starts only programs that it may see: allow it your home folder, and what lies outside with "flatpak override".',
  };
  return bySystem({ darwin: [], win32: [], linux: [place] });
}
