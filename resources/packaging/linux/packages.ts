import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../../package.json' with { type: 'json' };
import { targetOf } from '../target.ts';
import { makeDeb } from './deb.ts';
import type { LinuxRelease } from './release.ts';
import { makeRpm } from './rpm.ts';
import { makeTarball } from './tarball.ts';

const run = promisify(execFile);

interface LinuxPackage {
  name: string;
  /** The program that makes it. */
  tool: string;
  /** Where that program is from. */
  from: string;
  /** @returns the file */
  make(release: LinuxRelease): Promise<string>;
}

const PACKAGES: readonly LinuxPackage[] = [
  { name: '.deb', tool: 'dpkg-deb', from: 'the package dpkg', make: makeDeb },
  { name: '.rpm', tool: 'rpmbuild', from: 'the package rpm (Debian) or rpm-build (Fedora)', make: makeRpm },
  { name: '.tar.gz', tool: 'tar', from: 'the package tar', make: makeTarball },
];

/**
 * Makes the packages for Linux of an application folder in `output`, each with the tool of its system. One whose tool is
 * missing is named and left out; where they have to be complete, that is an error.
 * @returns the files
 */
export async function makeLinuxPackages(
  application: string,
  output: string,
  { quick, complete }: { quick: boolean; complete: boolean },
): Promise<string[]> {
  const { arch } = targetOf('linux', process.arch);
  const files: string[] = [];
  for (const { name, tool, from, make } of PACKAGES) {
    if (!(await isInstalled(tool))) {
      const missing = `No ${name}: ${tool} is not installed. It is in ${from}.`;
      if (complete) throw new Error(missing);
      console.warn(missing);
      continue;
    }
    const work = await mkdtemp(join(output, '.package-'));
    try {
      const date = await releaseDate();
      files.push(await make({ version: manifest.version, arch, application, date, work, output, quick }));
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }
  for (const file of files) console.log(await weight(file));
  return files;
}

async function isInstalled(tool: string): Promise<boolean> {
  return run(tool, ['--version']).then(
    () => true,
    () => false,
  );
}

/** The same sources make the same package: it bears the time of the last commit (reproducible-builds.org › SOURCE_DATE_EPOCH). */
async function releaseDate(): Promise<Date> {
  const named = process.env.SOURCE_DATE_EPOCH;
  if (named) return new Date(Number(named) * 1000);
  const { stdout } = await run('git', ['log', '-1', '--format=%ct']).catch(() => ({ stdout: '' }));
  // In whole seconds, as dpkg and tar take it.
  return new Date((Number(stdout) || Math.floor(Date.now() / 1000)) * 1000);
}

async function weight(file: string): Promise<string> {
  return `${((await readFile(file)).length / 1e6).toFixed(1).padStart(7)} MB  ${file}`;
}
