import { matchSorter, rankings } from 'match-sorter';
import { CausewayError } from '../platform/errors.ts';

/** Anything that a user may call by its id, its name or a part of either. */
export interface Named {
  id: string;
  name: string;
}

/** How well a text matches a name, best first: the first level with any match counts. */
const LEVELS = [
  rankings.CASE_SENSITIVE_EQUAL,
  rankings.EQUAL,
  rankings.STARTS_WITH,
  rankings.WORD_STARTS_WITH,
  rankings.CONTAINS,
  rankings.ACRONYM,
  rankings.MATCHES,
];

const MAX_LISTED = 8;

/**
 * The one thing that a text means: its id, its whole name, the beginning of its name or of a word in it, a part of it, its
 * initials, or its letters in order. `kind` is the plural word for messages. What is a `lastResort` is meant only if
 * nothing else fits.
 * @throws {CausewayError} `ambiguous` with the candidates, `not_found`
 */
export function chooseByName<T extends Named>(
  all: readonly T[],
  text: string,
  kind: string,
  remedy: string,
  lastResort: (one: T) => boolean = () => false,
): T {
  const wanted = text.trim();
  const byId = all.find(({ id }) => id === wanted);
  if (byId) return byId;
  const preferred = bestLevel(
    all.filter((one) => !lastResort(one)),
    wanted,
  );
  const fitting = preferred.length > 0 ? preferred : bestLevel(all, wanted);
  const [only, ...others] = fitting;
  if (only && others.length === 0) return only;
  if (only) throw ambiguous(wanted, fitting, kind);
  throw new CausewayError('not_found', `"${wanted}" matches none of the ${all.length} ${kind}.`, { remedy });
}

/** The refusal to guess between several, which names them. */
export function ambiguous(text: string, fitting: readonly Named[], kind: string): CausewayError {
  return new CausewayError('ambiguous', `"${text}" matches ${fitting.length} ${kind}: ${listed(fitting)}.`, {
    remedy: 'Use a longer part of the name, or the id.',
    candidates: fitting.map(({ name, id }) => ({ name, id })),
  });
}

/** Everything that a text fits in any way, best first; everything if the text is empty. */
export function filterByName<T extends Named>(all: readonly T[], text: string): T[] {
  if (text.trim() === '') return [...all];
  return matchSorter(all, text.trim(), { keys: ['name', 'id'], threshold: rankings.CONTAINS });
}

function bestLevel<T extends Named>(all: readonly T[], wanted: string): T[] {
  if (wanted === '') return [];
  for (const threshold of LEVELS) {
    const fitting = matchSorter(all, wanted, { keys: ['name'], threshold });
    if (fitting.length > 0) return fitting;
  }
  return [];
}

function listed(all: readonly Named[]): string {
  const shown = all.slice(0, MAX_LISTED).map(({ name, id }) => `${name} (${id})`);
  return all.length > MAX_LISTED ? `${shown.join(', ')} and ${all.length - MAX_LISTED} more` : shown.join(', ');
}
