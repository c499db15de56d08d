import { apt, packageState } from './apt.ts';
import type { Release } from './prepare.ts';
import { rpm, rpmState } from './rpm.ts';

/** What the tests do with a package manager. What each gives back is what it has printed. */
export interface PackageManager {
  /** The package of a release; undefined where there is nothing here to make it with. */
  fileOf(release: Release): string | undefined;
  install(file: string): Promise<string>;
  upgrade(file: string): Promise<string>;
  remove(): Promise<string>;
  /** What it knows of the package; nothing where it has never heard of it. */
  state(): string;
  /** That state while a version is installed. */
  installed(version: string): string;
}

/** Each kind of package, and what installs it. */
export const PACKAGE_MANAGERS: Record<'.deb' | '.rpm', PackageManager> = {
  '.deb': {
    fileOf: ({ deb }) => deb,
    install: (file) => apt('install', file),
    upgrade: (file) => apt('install', file),
    remove: () => apt('remove', 'causeway'),
    state: packageState,
    installed: (version) => `install ok installed ${version}`,
  },
  // With a database of its own: this system's libraries are not rpm's to count.
  '.rpm': {
    fileOf: ({ rpm: file }) => file,
    install: (file) => rpm('--install', file),
    upgrade: (file) => rpm('--upgrade', file),
    remove: () => rpm('--erase', 'causeway'),
    state: rpmState,
    installed: (version) => version,
  },
};
