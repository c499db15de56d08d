import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { strings } from '../strings.ts';
import type { FormField } from './field.ts';

const texts = strings.form;

/**
 * What a user has entered, as the controls hold it: the text of a text, a number or JSON; the place of a choice; `yes`,
 * `no` or nothing for a boolean. An empty text is no value.
 */
export type FormEntry = string | FormEntry[] | { [name: string]: FormEntry };

/** What the form begins with: the schema's defaults. */
export function formEntryOf(field: FormField, value: unknown = field.initial): FormEntry {
  switch (field.kind) {
    case 'list':
      return Array.isArray(value) ? value.map((item: unknown) => formEntryOf(field.item, item)) : [];
    case 'object':
      return entriesOf(field.fields, value);
    default:
      return textOf(field, value) ?? (field.required ? FIRST[field.kind] : '');
  }
}

/** A field that one control holds. */
type PlainField = Exclude<FormField, { kind: 'list' | 'object' }>;

/** What a required field begins with if its schema has no default: a control that has to be somewhere. */
const FIRST: Record<PlainField['kind'], string> = { boolean: 'no', choice: '0', text: '', number: '', json: '' };

/** A value as its control holds it; undefined if it is none of that field's. */
function textOf(field: PlainField, value: unknown): string | undefined {
  if (field.kind === 'json') return JSON.stringify(value, null, 2);
  if (field.kind === 'choice') {
    const place = field.options.findIndex((option) => same(option.value, value));
    return place === -1 ? undefined : String(place);
  }
  if (typeof value !== TYPES[field.kind]) return undefined;
  return field.kind === 'boolean' ? yesOrNo(value === true) : String(value);
}

const TYPES = { text: 'string', number: 'number', boolean: 'boolean' } as const;

/** The same for several fields, from an object of their values. */
export function entriesOf(fields: readonly FormField[], values: unknown = {}): { [name: string]: FormEntry } {
  return Object.fromEntries(fields.map((field) => [field.name, formEntryOf(field, propertyOf(values, field.name))]));
}

/** What was entered, as the tool takes it; and what cannot be read as what it should be, by the field's place. */
export interface FormReading {
  values: Record<string, unknown>;
  /** By the place of a field in the values, such as `/options/limit`. */
  problems: Map<string, string>;
}

/** Reads the form. Fields in which nothing was entered are left out. */
export function readFormEntries(fields: readonly FormField[], entries: FormEntry): FormReading {
  const problems = new Map<string, string>();
  return { values: readObject(fields, entries, '', problems), problems };
}

function readObject(
  fields: readonly FormField[],
  entries: FormEntry,
  place: string,
  problems: Map<string, string>,
): Record<string, unknown> {
  const read = fields.flatMap((field): [string, unknown][] => {
    const value = readOne(field, entryNamed(entries, field.name), placeOf(place, field.name), problems);
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(read);
}

function readOne(
  field: FormField,
  entry: FormEntry | undefined,
  place: string,
  problems: Map<string, string>,
): unknown {
  if (field.kind === 'list') return readList(field, Array.isArray(entry) ? entry : [], place, problems);
  if (field.kind === 'object') {
    const values = readObject(field.fields, entry ?? {}, place, problems);
    return Object.keys(values).length === 0 && !field.required ? undefined : values;
  }
  return typeof entry === 'string' ? readPlain(field, entry, place, problems) : undefined;
}

function readPlain(field: PlainField, entry: string, place: string, problems: Map<string, string>): unknown {
  if (entry === '') return undefined;
  const value = readText(field, entry);
  if (value === undefined) problems.set(place, field.kind === 'json' ? texts.notJson : texts.notNumber);
  return value;
}

function readList(
  field: Extract<FormField, { kind: 'list' }>,
  items: readonly FormEntry[],
  place: string,
  problems: Map<string, string>,
): unknown[] | undefined {
  if (items.length === 0 && !field.required) return undefined;
  return items.map((item, number) => {
    const itsPlace = placeOf(place, String(number));
    const value = readOne(field.item, item, itsPlace, problems);
    if (value === undefined && !problems.has(itsPlace)) problems.set(itsPlace, texts.needed);
    return value ?? null;
  });
}

/** The value of a control that is not empty; undefined if it cannot be read as what it should be. */
function readText(field: PlainField, text: string): unknown {
  switch (field.kind) {
    case 'text':
      return text;
    case 'boolean':
      return text === 'yes';
    case 'choice':
      return field.options[Number(text)]?.value;
    case 'number': {
      const number = Number(text.trim().replace(',', '.'));
      return Number.isFinite(number) ? number : undefined;
    }
    case 'json':
      try {
        return JSON.parse(text);
      } catch {
        return undefined;
      }
  }
}

/** The place of something within a place, as JSON Pointer writes it (RFC 6901 §3). */
export function placeOf(place: string, name: string): string {
  return `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export function entryNamed(entries: FormEntry, name: string): FormEntry | undefined {
  return typeof entries === 'object' && !Array.isArray(entries) ? entries[name] : undefined;
}

function propertyOf(values: unknown, name: string): unknown {
  return typeof values === 'object' && values !== null ? Reflect.get(values, name) : undefined;
}

function same(one: unknown, other: unknown): boolean {
  return other !== undefined && JSON.stringify(one) === JSON.stringify(other);
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** What says that something beneath it is wrong, which the field there says better. */
const SUMMARIES = new Set(['properties', 'items', 'prefixItems', '$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'then']);

/** What is wrong with what was entered, by the field's place; `''` for what concerns the whole. */
export function problemsIn(inputSchema: Schema, { values, problems }: FormReading): Map<string, string> {
  const found = new Map(problems);
  for (const { place, message } of complaints(inputSchema, values)) {
    if (!found.has(place)) found.set(place, message);
  }
  return found;
}

function complaints(inputSchema: Schema, values: Record<string, unknown>): { place: string; message: string }[] {
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

function complaintOf({ instanceLocation, keyword, error }: OutputUnit): { place: string; message: string } {
  const place = decodeURI(instanceLocation.replace(/^#/, ''));
  const missing = keyword === 'required' ? /"(.*)"/.exec(error)?.[1] : undefined;
  if (missing !== undefined) return { place: `${place}/${missing}`, message: texts.needed };
  return { place, message: messageFor(keyword, error) };
}

/** The figure that an error of the validator names last. */
const FIGURE = /(-?\d+(?:\.\d+)?)\D*$/;

const MESSAGES: Record<string, (figure: string) => string> = {
  type: () => texts.wrongType,
  minimum: texts.least,
  maximum: texts.most,
  exclusiveMinimum: texts.above,
  exclusiveMaximum: texts.below,
  multipleOf: texts.multiple,
  minLength: () => texts.short,
  maxLength: () => texts.long,
  minItems: () => texts.few,
  maxItems: () => texts.many,
  uniqueItems: () => texts.unique,
  pattern: () => texts.pattern,
  format: () => texts.pattern,
};

function messageFor(keyword: string, error: string): string {
  return MESSAGES[keyword]?.(FIGURE.exec(error)?.[1] ?? '') ?? error;
}
