import { closestMatch } from 'leven';

/** The known names that an unknown one is close to. */
export function similarNames(name: string, known: readonly string[]): string[] {
  const folded = new Map(known.map((each) => [each.toLowerCase(), each]));
  const asked = name.toLowerCase();
  const longer = known.filter((each) => asked.length >= MIN_BEGINNING && each.toLowerCase().startsWith(asked));
  const closest = closestMatch(asked, [...folded.keys()], { maxDistance: mistakesIn(asked) });
  const close = closest === undefined ? undefined : folded.get(closest);
  return [...new Set([...(close === undefined ? [] : [close]), ...longer])].slice(0, MAX_SUGGESTIONS);
}

/** So many letters tell what a longer name begins with. */
const MIN_BEGINNING = 4;
const MAX_SUGGESTIONS = 3;

/** How many letters may be wrong: two that are swapped count as two. */
function mistakesIn({ length }: string): number {
  if (length <= 3) return 1;
  return length < 8 ? 2 : 3;
}
