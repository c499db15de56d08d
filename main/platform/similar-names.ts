import type { Candidate } from './errors.ts';

/**
 * The known names that an unknown one is close to, at most three: the one with the fewest mistakes in the whole name or in a word of
 * it, and longer ones that begin with it; if there are none, those that contain its letters in order. Only for a question: nothing
 * acts on what is merely similar.
 */
export function similarNames(name: string, known: readonly string[]): string[] {
  const asked = foldedName(name);
  if (asked === '') return [];
  const folded = known.map((each) => ({ name: each, text: foldedName(each) }));
  const longer = folded.filter(({ text }) => asked.length >= MIN_BEGINNING && text.startsWith(asked));
  const found = [...closestOf(asked, folded), ...longer];
  const near = found.length > 0 ? found : folded.filter(({ text }) => hasInOrder(text, asked));
  return [...new Set(near.map((each) => each.name))].slice(0, MAX_SUGGESTIONS);
}

/** The question that offers similar names, with their ids if they have any; undefined if there are none. */
export function didYouMean(similar: readonly (string | Candidate)[]): string | undefined {
  if (similar.length === 0) return undefined;
  const shown = similar.map((each) => (typeof each === 'string' ? { name: each, id: undefined } : each));
  return `Did you mean ${shown.map(({ name, id }) => `"${name}"${id === undefined ? '' : ` (${id})`}`).join(' or ')}?`;
}

/** A name as names are compared: without case, accents and spaces around it. */
export function foldedName(name: string): string {
  return name.trim().normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** So many letters suggest what a longer name begins with. */
const MIN_BEGINNING = 4;
const MAX_SUGGESTIONS = 3;

interface Folded {
  name: string;
  text: string;
}

/** The first of those with the fewest mistakes in the whole name or in a word of it; none if there are too many. */
function closestOf(asked: string, known: readonly Folded[]): Folded[] {
  let closest: Folded[] = [];
  let fewest = mistakesIn(asked) + 1;
  for (const each of known) {
    for (const text of [each.text, ...each.text.split(/\s+/)]) {
      const mistakes = distance(asked, text, fewest);
      if (mistakes >= fewest) continue;
      fewest = mistakes;
      closest = [each];
    }
  }
  return closest;
}

/**
 * How many letters of a text must be put in, left out or replaced to make another (Levenshtein), up to a limit. It is not taken from a
 * package, because every command and proxy loads it, and they load few.
 */
function distance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) >= limit) return limit;
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [above, letter] of [...from].entries()) {
    const next = [above + 1];
    for (const [at, other] of [...to].entries()) {
      const replaced = (row[at] ?? 0) + Number(letter !== other);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return Math.min(row.at(-1) ?? limit, limit);
}

/** How many letters may be wrong: two that are swapped count as two. */
function mistakesIn({ length }: string): number {
  if (length <= 1) return 0;
  if (length <= 3) return 1;
  return length < 8 ? 2 : 3;
}

/** Whether a text contains these letters in this order, such as the initials of its words. One letter is in too many. */
function hasInOrder(text: string, letters: string): boolean {
  if (letters.length < 2) return false;
  let at = -1;
  return [...letters].every((letter) => {
    at = text.indexOf(letter, at + 1);
    return at !== -1;
  });
}
