const UNRELEASED = '## [Unreleased]';
/** A line for those who read the changelog before there is a release. */
const NOTHING_YET = /^Nothing has been released yet:.*\n\n?/m;

/** What a commit's subject begins with, and the kind of change that it is (Keep a Changelog). */
const KINDS: readonly (readonly [kind: string, verbs: RegExp])[] = [
  ['Added', /^(Add|Offer|Support|Show|Give|Let|Make)\b/],
  ['Fixed', /^(Fix|Repair|Correct|Mend)\b/],
  ['Removed', /^(Remove|Drop)\b/],
  ['Changed', /^/],
];

/** The changelog once a version is released, and what it says about that version. */
export interface ReleasedChangelog {
  text: string;
  notes: string;
}

/**
 * Gives what is not released yet its version and day. If nobody has written anything there, the commits' subjects are used.
 * @throws Error for a changelog without an unreleased part
 */
export function releasedChangelog(
  text: string,
  { version, date, subjects }: { version: string; date: string; subjects: readonly string[] },
): ReleasedChangelog {
  const begin = text.indexOf(`${UNRELEASED}\n`);
  if (begin === -1) throw new Error(`CHANGELOG.md has no "${UNRELEASED}".`);
  const rest = text.slice(begin + UNRELEASED.length);
  const end = rest.search(/^## \[\d/m);
  const written = (end === -1 ? rest : rest.slice(0, end)).replace(NOTHING_YET, '').trim();
  const notes = written === '' ? fromSubjects(subjects) : written;
  const older = end === -1 ? '' : `\n${rest.slice(end)}`;
  const released = `${UNRELEASED}\n\n## [${version}] - ${date}\n\n${notes}\n${older}`;
  return { text: `${text.slice(0, begin)}${released}`, notes };
}

/** Commits by the kind of change that their first word tells. */
function fromSubjects(subjects: readonly string[]): string {
  const kindOf = (subject: string) => KINDS.find(([, verbs]) => verbs.test(subject))?.[0];
  const parts = KINDS.flatMap(([kind]) => {
    const lines = subjects.filter((subject) => kindOf(subject) === kind).map((subject) => `- ${subject}.`);
    return lines.length === 0 ? [] : [`### ${kind}\n\n${lines.join('\n')}`];
  });
  return parts.join('\n\n') || '### Changed\n\n- Nothing that users can notice.';
}
