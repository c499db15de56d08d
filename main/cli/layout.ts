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
export function widthOf(text: string): number {
  const plain = text.replace(STYLE, '');
  if (PLAIN.test(plain)) return plain.length;
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(plain)).reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0);
}

/** A text filled up with spaces to that many columns. */
export function padded(text: string, width: number): string {
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

/** Fewer columns than that are too narrow for text. */
const LEAST_TEXT = 24;

/** A line in lines of at most that many columns, of which the further ones begin at `column`, or a little further than the first. */
export function hanging(line: string, width: number, column?: number): string[] {
  const own = /^\s*/.exec(line)?.[0].length ?? 0;
  const further = own === 0 ? 0 : own + 2;
  const at = column === undefined || width - column < LEAST_TEXT ? further : column;
  return wrapped(line, width, ' '.repeat(at));
}

/** The name of an option or a command, and the space before what it does. */
const TERM = /^\s+\S.*?\s{2,}(?=\S)/;
/** As wide as text of help is at most: longer lines are hard to read. */
export const MOST_HELP = 120;

/**
 * A page of help in lines of at most that many columns. Lines that follow each other without an indent are a paragraph; others
 * stay lines, and are continued below their own text. A command to copy is continued behind a backslash.
 */
export function flowed(page: string, columnsThere: number): string {
  const width = Math.min(columnsThere, MOST_HELP);
  return blocksOf(page)
    .flatMap((block) => blockLines(block, width))
    .join('\n');
}

/** Paragraphs, and the lines that are none. */
function blocksOf(page: string): string[] {
  const blocks: string[] = [];
  let isOpen = false;
  for (const line of page.split('\n')) {
    const last = blocks.at(-1);
    const begins = /^\s*/.exec(line)?.[0].length ?? 0;
    const goesOn =
      last !== undefined && (begins === 0 ? isOpen && line !== '' : TERM.exec(last)?.[0].length === begins);
    if (goesOn) blocks[blocks.length - 1] = `${last} ${line.trim()}`;
    else blocks.push(line);
    // A heading ends its own line.
    isOpen = begins === 0 && line !== '' && !/^Usage: |:$/.test(line);
  }
  return blocks;
}

function blockLines(block: string, width: number): string[] {
  if (widthOf(block) <= width) return [block];
  if (block.startsWith('  $ ')) return continued(block, width);
  if (block.startsWith('Usage: ')) return wrapped(block, width, ' '.repeat('Usage: '.length));
  const term = TERM.exec(block)?.[0];
  if (term === undefined || width - term.length >= LEAST_TEXT) return hanging(block, width, term?.length);
  // Beside the names there is no room.
  return [...wrapped(term.trimEnd(), width), ...wrapped(`      ${block.slice(term.length)}`, width)];
}

function continued(command: string, width: number): string[] {
  if (widthOf(command) <= width) return [command];
  const lines = wrapped(command, width - 2, '      ');
  return lines.map((line, index) => (index === lines.length - 1 ? line : `${line} \\`));
}

/** The beginning of a text's first line: at most that many characters, and whole words. */
export function firstWords(text: string, mostCharacters: number): string {
  const [line = ''] = text.trim().split('\n');
  if (line.length <= mostCharacters) return line;
  const [words = ''] = wrapped(line, mostCharacters - 1);
  return `${words.slice(0, mostCharacters - 1).trimEnd()}…`;
}

/** Between the columns of a table. */
const GAP = '  ';
/** More lines than that for one row are harder to read than a list. */
const MOST_LINES = 3;
/** Columns that are as narrow are broken only if nothing else helps. */
const SHORT = 24;

/** Rows in columns, however wide. The last column is not padded. */
export function columns(rows: readonly string[][]): string[] {
  return inColumns(rows, naturalWidths(rows));
}

/**
 * Rows in a terminal of that width. What does not fit is broken between words within its column. Where that would take too
 * many lines, each row becomes a list of its cells, behind the heads if there are any.
 */
export function table(rows: readonly string[][], width: number | undefined, heads?: readonly string[]): string[] {
  const all = heads ? [[...heads], ...rows] : rows;
  const natural = naturalWidths(all);
  if (width === undefined || totalOf(natural) <= width) return inColumns(all, natural);
  const widths = sharedWidths(all, natural, width, SHORT) ?? sharedWidths(all, natural, width, 0);
  if (widths === undefined) return asLists(rows, width, heads);
  const broken = all.map((row) => row.map((cell, column) => wrapped(cell, widths[column] ?? width, '')));
  if (broken.some((row) => Math.max(...row.map(({ length }) => length)) > MOST_LINES))
    return asLists(rows, width, heads);
  return broken.flatMap((row) => inColumns(transposed(row), widths));
}

function naturalWidths(rows: readonly string[][]): number[] {
  const count = Math.max(0, ...rows.map(({ length }) => length));
  return Array.from({ length: count }, (_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))));
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, widths.length - 1);
}

/**
 * Each column gets its longest word, and of the rest a share by what it lacks. None if even that does not fit.
 * @param whole columns of at most this width get all of it
 */
function sharedWidths(
  rows: readonly string[][],
  natural: readonly number[],
  width: number,
  whole: number,
): number[] | undefined {
  const least = natural.map((each, column) =>
    each <= whole ? each : Math.max(...rows.map((row) => longestWord(row[column] ?? ''))),
  );
  const rest = width - totalOf(least);
  if (rest < 0) return undefined;
  const lacking = natural.map((each, column) => each - (least[column] ?? 0));
  const all = lacking.reduce((sum, each) => sum + each, 0);
  return least.map((each, column) => each + Math.floor((rest * (lacking[column] ?? 0)) / all));
}

function longestWord(cell: string): number {
  // Marks such as `→ ●` are one.
  if (!/[\p{L}\p{N}]/u.test(cell)) return widthOf(cell);
  return Math.max(0, ...(cell.match(PIECES) ?? []).map(widthOf));
}

function inColumns(rows: readonly string[][], widths: readonly number[]): string[] {
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : padded(cell, widths[column] ?? 0)))
      .join(GAP)
      .trimEnd(),
  );
}

/** The lines of each cell, as rows of a table. */
function transposed(cells: readonly string[][]): string[][] {
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => cells.map((lines) => lines[line] ?? ''));
}

/** The first cell of each row, and the others indented under it. */
function asLists(rows: readonly string[][], width: number, heads?: readonly string[]): string[] {
  // A first column without a head has marks, which belong to the second one.
  const marks = heads?.[0] === '' ? 1 : 0;
  const indent = ' '.repeat(2 + Math.max(0, ...rows.map(([first = '']) => first.search(/\S|$/))));
  return rows.flatMap((row) => {
    const named = row.slice(1 + marks).flatMap((cell, index) => {
      const head = heads?.[index + 1 + marks]?.trim();
      return cell === '' ? [] : [`${indent}${head ? `${head}: ` : ''}${cell}`];
    });
    const title = row.slice(0, 1 + marks).join(' ');
    return [...wrapped(title, width), ...named.flatMap((line) => wrapped(line, width, `${indent}  `))];
  });
}
