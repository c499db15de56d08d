import type { PackageNotice } from './package-notice.ts';

const RULE = '='.repeat(80);

/** The notices as one text, below a line that says what contains the software. */
export function noticesText(head: string, notices: PackageNotice[]): string {
  const parts = notices.map(
    ({ name, version, license, text }) => `${RULE}\n${name} ${version}\n${license}\n\n${text}\n`,
  );
  return [`${head}\n`, ...parts].join('\n');
}
