import type { Target } from '../target.ts';

/** What the packages for Linux are made of. */
export interface LinuxRelease {
  /** Causeway's version, as in package.json. */
  version: string;
  arch: Target['arch'];
  /** The folder of the application as electron-builder leaves it. */
  application: string;
  /** The time that the files and the changelog bear. */
  date: Date;
  /** A folder of this build alone, on the application's file system. */
  work: string;
  /** Where the packages go. */
  output: string;
  /** Whether the packages may be large if they are made quickly: for tests. */
  quick: boolean;
}

/** Who the packages name. */
export const MAINTAINER = 'The authors of Causeway <causeway@users.noreply.github.com>';

export const SUMMARY = 'One sign-in for AI clients to the MCP servers of Databricks';

/** Paragraphs. */
export const DESCRIPTION = [
  "Causeway lives in the tray and connects every AI client on the computer to a Databricks workspace's managed MCP servers through one sign-in.",
  'It shows the SQL warehouse that queries run on, and why, and changes it. The package holds the application and the causeway command.',
];

/** A prerelease such as 1.0.0-beta.1 comes before 1.0.0 for dpkg and rpm only with a tilde. */
export function packageVersion(version: string): string {
  return version.replace('-', '~');
}

/** Lines of at most 78 characters. */
export function wrapped(paragraph: string): string[] {
  return paragraph.match(/.{1,78}(?:\s|$)/g)?.map((line) => line.trim()) ?? [];
}
