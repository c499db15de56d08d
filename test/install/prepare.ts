import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import manifest from '../../package.json' with { type: 'json' };
import { makeDeb } from '../../resources/packaging/linux/deb.ts';
import type { LinuxRelease } from '../../resources/packaging/linux/release.ts';
import { makeRpm } from '../../resources/packaging/linux/rpm.ts';
import { targetOf } from '../../resources/packaging/target.ts';
import { leftOut } from '../left-out.ts';
import { FOLDER as APPLICATION } from '../packaging/packaged.ts';
import { Account } from './account.ts';
import { packageState, packagesWith, purge, purgeAll } from './apt.ts';
import { missingPackages, SESSION_PROGRAMS } from './login-session.ts';
import { canSpareOthers } from './other-users.ts';
import { eraseRpm } from './rpm.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Why nothing is installed here, in one line; undefined where it is. */
    reason: string | undefined;
    /** The application as it is here, and the same with a higher version. */
    older: Release;
    newer: Release;
    /** The packages that come with Causeway's, because it depends on them or recommends them. */
    dependencies: string[];
  }
}

/** A version of the application to install. */
export interface Release {
  version: string;
  /** The application's own folder. */
  folder: string;
  deb: string;
  /** Undefined where there is no `rpmbuild`. */
  rpm: string | undefined;
}

const ROOT = join(import.meta.dirname, '..', '..');
/** The packages, and what they are made of. */
export const WORK = join(ROOT, 'dist', 'install-test');

const PROGRAMS = {
  ...SESSION_PROGRAMS,
  runuser: 'util-linux',
  gdbus: 'libglib2.0-bin',
  import: 'imagemagick',
  man: 'man-db',
  xdotool: 'xdotool',
};

/** Why nothing can be installed here. */
function whyNotHere(): string | undefined {
  const what = 'The tests of the installed packages are';
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || missingPackages({ 'apt-get': 'apt' }).length > 0) {
    return `${what} left out: they install packages, as root on Debian or Ubuntu.`;
  }
  if (packageState() !== '') return `${what} left out: Causeway is installed here, and they would remove it.`;
  if (existsSync('/etc/causeway')) return `${what} left out: this computer is managed (/etc/causeway).`;
  if (!canSpareOthers()) return `${what} left out: removal would also remove what other users have of Causeway's.`;
  const missing = missingPackages(PROGRAMS);
  return missing.length > 0 ? `${what} left out: install ${missing.join(' ')}.` : leftOut(what);
}

/** Before the first test: builds both versions. Whatever comes after it, package and account are gone again. */
export async function setup({ provide }: TestProject): Promise<void> {
  if (process.getuid?.() === 0 && Account.isLeft()) clear();
  const reason = whyNotHere();
  provide('reason', reason);
  if (reason !== undefined) return console.warn(reason);
  process.once('exit', clear);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const { older, newer } = (await keptReleases()) ?? (await makeReleases());
  provide('older', older);
  provide('newer', newer);
  installedWithIt = packagesWith(older.deb);
  provide('dependencies', installedWithIt);
}

export async function teardown(): Promise<void> {
  clear();
  if (!process.env.CAUSEWAY_KEEP) await rm(WORK, { recursive: true, force: true });
}

interface Releases {
  older: Release;
  newer: Release;
}

const KEPT = join(WORK, 'releases.json');

/** What an earlier run has made, where it is to be kept. */
async function keptReleases(): Promise<Releases | undefined> {
  if (!process.env.CAUSEWAY_KEEP || !existsSync(KEPT)) return undefined;
  return JSON.parse(await readFile(KEPT, 'utf8'));
}

async function makeReleases(): Promise<Releases> {
  await rm(WORK, { recursive: true, force: true });
  // Where it has just been packaged, that takes no second time.
  if (!process.env.CAUSEWAY_PACKAGED) await runIn(ROOT, 'npm', 'run', '--silent', 'package:dir');
  const [major, minor, patch] = manifest.version.split(/[.-]/).map(Number);
  const version = `${major}.${minor}.${(patch ?? 0) + 1}`;
  const [older, folder] = await Promise.all([pack(manifest.version, APPLICATION), packageAs(version)]);
  const releases = { older, newer: await pack(version, folder) };
  await writeFile(KEPT, JSON.stringify(releases));
  return releases;
}

/** The packages that come with Causeway's, and go again; nobody else's. */
let installedWithIt: string[] = [];

function clear(): void {
  Account.remove();
  purge();
  eraseRpm();
  purgeAll(installedWithIt);
  installedWithIt = [];
}

async function runIn(folder: string, command: string, ...args: string[]): Promise<void> {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} has failed in ${folder}.`);
}

/** Makes the packages of an application folder, quickly. */
async function pack(version: string, application: string): Promise<Release> {
  const { arch } = targetOf('linux', process.arch);
  const output = join(WORK, version);
  const work = join(WORK, `${version}-work`);
  for (const folder of [output, work]) await mkdir(folder, { recursive: true });
  const date = new Date(Math.floor(Date.now() / 1000) * 1000);
  const release: LinuxRelease = { version, arch, application, date, work, output, quick: true };
  const deb = await makeDeb(release);
  const rpm = missingPackages({ rpmbuild: 'rpm' }).length > 0 ? undefined : await makeRpm(release);
  return { version, folder: application, deb, rpm };
}

/** What packaging reads of a checkout. */
const PACKAGED = [
  'LICENSE',
  'main',
  'out',
  'package-lock.json',
  'package.json',
  'preload',
  'resources',
  'tsconfig.base.json',
];

/** Packages what this checkout has built as another version, in a copy. @returns the application's folder */
async function packageAs(version: string): Promise<string> {
  const copy = join(WORK, 'sources');
  await mkdir(copy, { recursive: true });
  for (const name of PACKAGED) await cp(join(ROOT, name), join(copy, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const old = manifest.version;
  if (!(await replaceIn(join(copy, 'package.json'), `"version": "${old}"`, `"version": "${version}"`)))
    throw noVersion();
  // The window's own code does not know the version, and packaging builds the command anew.
  const built = join(copy, 'out', 'main');
  const own = new RegExp(`(version[\\w$]* ?[:=] ?["'\`])${old.replaceAll('.', '\\.')}(?=["'\`])`, 'g');
  const scripts = (await readdir(built)).filter((name) => name.endsWith('.js'));
  const changed = await Promise.all(scripts.map((name) => replaceIn(join(built, name), own, `$1${version}`)));
  if (!changed.includes(true)) throw noVersion();
  await runIn(copy, process.execPath, join('resources', 'packaging', 'main.ts'), '--dir');
  return join(copy, 'dist', 'linux-unpacked');
}

/** @returns whether anything was replaced */
async function replaceIn(file: string, what: string | RegExp, by: string): Promise<boolean> {
  const before = await readFile(file, 'utf8');
  const after = before.replace(what, by);
  if (after !== before) await writeFile(file, after);
  return after !== before;
}

function noVersion(): Error {
  return new Error(`The version ${manifest.version} is not where another one would have to be written.`);
}
