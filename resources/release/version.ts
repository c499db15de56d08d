/** A version as Semantic Versioning 2.0.0 writes it, without build metadata. */
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

/** What a version can be raised by, instead of being named. */
const PARTS = ['major', 'minor', 'patch'];

/** The version that is meant by one, or by the part of the present one that is raised. @throws Error for anything else */
export function versionFor(asked: string, present: string): string {
  if (VERSION.test(asked)) return asked;
  const part = PARTS.indexOf(asked);
  if (part === -1) throw new Error(`"${asked}" is no version such as 1.2.3, nor major, minor or patch.`);
  const numbers = numbersOf(present).map((number, at) => (at < part ? number : at === part ? number + 1 : 0));
  return numbers.join('.');
}

/** Negative where `a` comes before `b` (semver.org › 11). */
export function compareVersions(a: string, b: string): number {
  const [numbersA, numbersB] = [numbersOf(a), numbersOf(b)];
  const different = numbersA.findIndex((number, at) => number !== numbersB[at]);
  if (different !== -1) return (numbersA[different] ?? 0) - (numbersB[different] ?? 0);
  const [before, after] = [prereleaseOf(a), prereleaseOf(b)];
  if (before === after) return 0;
  // A version comes after what was tried out before it.
  if (before === '' || after === '') return before === '' ? 1 : -1;
  return before.localeCompare(after, 'en', { numeric: true });
}

function numbersOf(version: string): number[] {
  return (VERSION.exec(version)?.slice(1, 4) ?? []).map(Number);
}

function prereleaseOf(version: string): string {
  return VERSION.exec(version)?.[4] ?? '';
}

/** The newest version that a tag like `v1.2.3` names. */
export function newestTagged(tags: readonly string[]): string | undefined {
  const versions = tags.flatMap((tag) => (tag.startsWith('v') && VERSION.test(tag.slice(1)) ? [tag.slice(1)] : []));
  return versions.sort(compareVersions).at(-1);
}
