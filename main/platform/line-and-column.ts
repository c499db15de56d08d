/** Where a position in a text is, both counted from 1. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** A place in a file for messages: `FILE, line 3, column 10`. */
export function placeInFile(file: string, { line, column }: { line: number; column: number }): string {
  return `${file}, line ${line}, column ${column}`;
}
