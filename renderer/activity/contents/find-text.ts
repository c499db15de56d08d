/** The most places that a search marks: each is an element of the page. */
export const MOST_FOUND = 500;

/** A piece of a text: found, with its number among all that was found, or between two that were. */
export interface Piece {
  /** Where it begins in its text. */
  from: number;
  text: string;
  found: number | null;
}

/** Texts in pieces, around what is looked for in them, in small letters or capitals. */
export function piecesOf(texts: readonly string[], wanted: string): { pieces: Piece[][]; count: number } {
  let count = 0;
  const pieces = texts.map((text) => {
    if (wanted === '') return [{ from: 0, text, found: null }];
    const parts: Piece[] = [];
    let end = 0;
    for (const { index, 0: found } of text.matchAll(literally(wanted))) {
      if (count === MOST_FOUND) break;
      if (index > end) parts.push({ from: end, text: text.slice(end, index), found: null });
      parts.push({ from: index, text: found, found: count });
      count += 1;
      end = index + found.length;
    }
    if (end < text.length) parts.push({ from: end, text: text.slice(end), found: null });
    return parts;
  });
  return { pieces, count };
}

function literally(wanted: string): RegExp {
  return new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'gi');
}
