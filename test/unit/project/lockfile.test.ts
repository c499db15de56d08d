import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const LOCKFILE = new URL('../../../package-lock.json', import.meta.url);

const Lockfile = z.object({
  lockfileVersion: z.literal(3),
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().optional(),
      resolved: z.string().optional(),
      link: z.boolean().optional(),
    }),
  ),
});

/** The installed packages of the lockfile: all entries but the project itself. */
async function lockedPackages() {
  const { packages } = Lockfile.parse(JSON.parse(await readFile(LOCKFILE, 'utf8')));
  return Object.entries(packages).flatMap(([path, entry]) => (path === '' ? [] : [{ path, ...entry }]));
}

describe('package-lock.json', () => {
  it('has a SHA-512 hash for every package, including those of other operating systems', async () => {
    const packages = await lockedPackages();
    expect(packages.length).toBeGreaterThan(100);
    const unverified = packages.filter(({ integrity }) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
    expect(unverified.map(({ path, version }) => `${path} ${version}`)).toEqual([]);
  });

  it('takes every package from the configured registry, not from a URL, a repository or a folder', async () => {
    const elsewhere = (await lockedPackages()).filter(({ resolved, link }) => resolved !== undefined || link);
    expect(elsewhere.map(({ path }) => path)).toEqual([]);
  });
});
