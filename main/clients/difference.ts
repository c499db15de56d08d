import { createTwoFilesPatch } from 'diff';

/** The difference between two texts of a file, as a unified diff. */
export function differenceOf(file: string, before: string, after: string): string {
  const diff = createTwoFilesPatch(file, file, before, after);
  return diff.slice(diff.indexOf('--- '));
}
