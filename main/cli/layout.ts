/** Text in a terminal's columns: how wide it is, and where a line ends. Pure. */

/** Characters that take two columns (Unicode Standard Annex #11, wide and fullwidth), and emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const PLAIN = /^[\u0020-\u007e]*$/;
// Escape sequences of `bold`, which take no column.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const STYLE = /\u001b\[\d+m/g;

let segmenter: Intl.Segmenter | undefined;

/** How many columns of a terminal a text takes. */
function widthOf(text: string): number {
  const plain = text.replace(STYLE, '');
  if (PLAIN.test(plain)) return plain.length;
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(plain)).reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0);
}

/** A text filled up with spaces to that many columns. */
function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Words, and commands in backticks: a command that is broken in two would run as two where it is pasted. */
const PIECES = /[^\s`]*`[^`]*`[^\s`]*|\S+/g;

/**
 * A text in lines of at most that many columns, broken between words. A word that is longer has a line of its own. Further lines
 * are indented as the first one is, unless another indent is given.
 */
export function wrapped(text: string, width: number, indent = /^\s*/.exec(text)?.[0] ?? ''): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = /^\s*/.exec(text)?.[0] ?? '';
  let isEmpty = true;
  let end = line.length;
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    // Spaces between words stay as they are: some lines are columns.
    const gap = isEmpty ? '' : text.slice(end, index);
    if (!isEmpty && widthOf(line + gap + piece) > width) {
      lines.push(line);
      line = indent + piece;
    } else line += gap + piece;
    isEmpty = false;
    end = index + piece.length;
  }
  return [...lines, line];
}

/** Between the columns of a table. */
const GAP = '  ';
/** Rows in columns, however wide. The last column is not padded. */
export function columns(rows: readonly string[][]): string[] {
  return inColumns(rows, naturalWidths(rows));
}

function naturalWidths(rows: readonly string[][]): number[] {
  const count = Math.max(0, ...rows.map(({ length }) => length));
  return Array.from({ length: count }, (_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))));
}

function inColumns(rows: readonly string[][], widths: readonly number[]): string[] {
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : padded(cell, widths[column] ?? 0)))
      .join(GAP)
      .trimEnd(),
  );
}
