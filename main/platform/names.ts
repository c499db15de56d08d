import { CausewayError, sentences } from './errors.ts';
import { didYouMean, foldedName, similarNames } from './similar-names.ts';

/** Anything that a user may name by its id, its name or a part of its name. */
export interface Named {
  id: string;
  name: string;
}

/** What is named, and how messages speak of it. */
export interface NamedKind<T extends Named> {
  /** The plural, such as `warehouses`. */
  kind: string;
  /** Where all of them are listed, as a sentence. */
  remedy: string;
  /** Whether it counts only if nothing else fits. */
  isLastResort?: (one: T) => boolean;
}

/** The number of letters from which a part of a name counts. */
export const MIN_PART_LENGTH = 3;

const MAX_LISTED = 8;

/**
 * The one thing that a text names: its id, its whole name in any case, or a part of at least three letters that no other name contains.
 * What changes something must name it so; anything less is answered with a question.
 * @throws {CausewayError} `ambiguous` with the candidates, `not_found` with similar ones
 */
export function chooseByName<T extends Named>(all: readonly T[], text: string, which: NamedKind<T>): T {
  const { kind, remedy, isLastResort = () => false } = which;
  const wanted = text.trim();
  const byId = all.find(({ id }) => id === wanted);
  if (byId) return byId;
  const preferred = fittingBest(
    all.filter((one) => !isLastResort(one)),
    wanted,
  );
  const fitting = preferred.length > 0 ? preferred : fittingBest(all, wanted);
  const [only, ...others] = fitting;
  if (!only) throw noneFits(all, wanted, kind, remedy);
  if (others.length > 0) throw ambiguous(wanted, fitting, kind);
  if (!isWhole(only, wanted) && isShort(wanted)) throw tooShort(wanted, only);
  return only;
}

/** The refusal to guess between several, which names them. */
export function ambiguous(text: string, fitting: readonly Named[], kind: string): CausewayError {
  return new CausewayError('ambiguous', `"${text}" matches ${fitting.length} ${kind}: ${listed(fitting)}.`, {
    remedy: 'Use a longer part of the name, or the id.',
    candidates: fitting.map(({ name, id }) => ({ name, id })),
  });
}

/** The refusal to act on one or two letters, although only one name contains them. */
export function tooShort(text: string, only: Named): CausewayError {
  return new CausewayError('ambiguous', `"${text}" is too short to name ${only.name} (${only.id}).`, {
    remedy: `Use at least ${MIN_PART_LENGTH} letters of the name, or the id.`,
    candidates: [{ name: only.name, id: only.id }],
  });
}

/** Whether a text is too short to be a part of a name. */
export function isShort(text: string): boolean {
  return [...text].length < MIN_PART_LENGTH;
}

/** An id has digits; a few letters are in any of them. */
const LIKE_AN_ID = /^(?=.*\d).{4,}$/;

/** The things whose names or ids a text is close to. */
function similarOnes<T extends Named>(all: readonly T[], text: string): T[] {
  const isLikeId = LIKE_AN_ID.test(text);
  const names = similarNames(
    text,
    all.flatMap(({ id, name }) => (isLikeId ? [name, id] : [name])),
  );
  return all.filter(({ id, name }) => names.includes(name) || (isLikeId && names.includes(id)));
}

/** Everything whose name or id contains a text; everything if the text is empty. */
export function filterByName<T extends Named>(all: readonly T[], text: string): T[] {
  const wanted = foldedName(text);
  return all.filter(({ name, id }) => foldedName(name).includes(wanted) || id.toLowerCase().includes(wanted));
}

function noneFits(all: readonly Named[], wanted: string, kind: string, remedy: string): CausewayError {
  const similar = similarOnes(all, wanted);
  return new CausewayError('not_found', `"${wanted}" matches none of the ${all.length} ${kind}.`, {
    remedy: sentences(didYouMean(similar), remedy),
    ...(similar.length > 0 ? { candidates: similar.map(({ name, id }) => ({ name, id })) } : {}),
  });
}

/** Those of exactly this name; else those of this name in another case; else those that contain it. */
function fittingBest<T extends Named>(all: readonly T[], wanted: string): T[] {
  const folded = foldedName(wanted);
  if (folded === '') return [];
  const exact = all.filter(({ name }) => name.trim() === wanted);
  if (exact.length > 0) return exact;
  const whole = all.filter((one) => isWhole(one, wanted));
  return whole.length > 0 ? whole : all.filter(({ name }) => foldedName(name).includes(folded));
}

function isWhole({ name }: Named, wanted: string): boolean {
  return foldedName(name) === foldedName(wanted);
}

function listed(all: readonly Named[]): string {
  const shown = all.slice(0, MAX_LISTED).map(({ name, id }) => `${name} (${id})`);
  return all.length > MAX_LISTED ? `${shown.join(', ')} and ${all.length - MAX_LISTED} more` : shown.join(', ');
}
