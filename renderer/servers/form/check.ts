import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import type { Reading } from './entry.ts';

/** What says that something beneath it is wrong, which the field there says better. */
const SUMMARIES = new Set(['properties', 'items', 'prefixItems', '$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'then']);

/** What is wrong with what was entered, by the field's place; `''` for what concerns the whole. */
export function problemsIn(inputSchema: Schema, { values, problems }: Reading): Map<string, string> {
  const found = new Map(problems);
  for (const { place, words } of complaints(inputSchema, values)) {
    if (!found.has(place)) found.set(place, words);
  }
  return found;
}

function complaints(inputSchema: Schema, values: Record<string, unknown>): { place: string; words: string }[] {
  let errors: OutputUnit[];
  try {
    errors = new Validator(inputSchema, '2020-12', false).validate(values).errors;
  } catch {
    // The server's schema is beyond this: then the server alone decides.
    return [];
  }
  const own = errors.filter(({ keyword }) => !SUMMARIES.has(keyword));
  return (own.length > 0 ? own : errors).map(complaintOf);
}

function complaintOf({ instanceLocation, keyword, error }: OutputUnit): { place: string; words: string } {
  const place = decodeURI(instanceLocation.replace(/^#/, ''));
  const missing = keyword === 'required' ? /"(.*)"/.exec(error)?.[1] : undefined;
  if (missing !== undefined) return { place: `${place}/${missing}`, words: 'This is needed.' };
  return { place, words: wordsFor(keyword, error) };
}

/** The figure that an error of the validator names last. */
const FIGURE = /(-?\d+(?:\.\d+)?)\D*$/;

const WORDS: Record<string, (figure: string) => string> = {
  type: () => 'This is of the wrong kind.',
  minimum: (figure) => `The least is ${figure}.`,
  maximum: (figure) => `The most is ${figure}.`,
  exclusiveMinimum: (figure) => `It has to be more than ${figure}.`,
  exclusiveMaximum: (figure) => `It has to be less than ${figure}.`,
  multipleOf: (figure) => `It has to be a multiple of ${figure}.`,
  minLength: () => 'This is too short.',
  maxLength: () => 'This is too long.',
  minItems: () => 'There are too few.',
  maxItems: () => 'There are too many.',
  uniqueItems: () => 'Two of them are the same.',
  pattern: () => 'This is not written as the tool wants it.',
  format: () => 'This is not written as the tool wants it.',
};

function wordsFor(keyword: string, error: string): string {
  return WORDS[keyword]?.(FIGURE.exec(error)?.[1] ?? '') ?? error;
}
