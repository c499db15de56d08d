import type { Field } from './field.ts';

/**
 * What a person has entered, as the controls hold it: the text of a text, a number or JSON; the place of a choice; `yes`,
 * `no` or nothing for a boolean. An empty text is nothing given.
 */
export type Entry = string | Entry[] | { [name: string]: Entry };

/** What the form begins with: the schema's defaults. */
export function entryOf(field: Field, value: unknown = field.initial): Entry {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? value : '';
    case 'number':
      return typeof value === 'number' ? String(value) : '';
    case 'boolean':
      // A switch that has to be somewhere is off.
      return typeof value === 'boolean' ? yesOrNo(value) : field.required ? 'no' : '';
    case 'choice': {
      const place = field.options.findIndex((option) => same(option.value, value));
      return place >= 0 ? String(place) : field.required ? '0' : '';
    }
    case 'list':
      return Array.isArray(value) ? value.map((item: unknown) => entryOf(field.item, item)) : [];
    case 'object':
      return entriesOf(field.fields, value);
    case 'json':
      return value === undefined ? '' : JSON.stringify(value, null, 2);
  }
}

/** The same for several fields, from an object of their values. */
export function entriesOf(fields: readonly Field[], values: unknown = {}): { [name: string]: Entry } {
  return Object.fromEntries(fields.map((field) => [field.name, entryOf(field, propertyOf(values, field.name))]));
}

/** What was entered, as the tool takes it; and what cannot be read as what it should be, by the field's place. */
export interface Reading {
  values: Record<string, unknown>;
  /** By the place of a field in the values, such as `/options/limit`. */
  problems: Map<string, string>;
}

/** Reads the form. Fields in which nothing was entered are left out. */
export function readEntries(fields: readonly Field[], entries: Entry): Reading {
  const problems = new Map<string, string>();
  return { values: readObject(fields, entries, '', problems), problems };
}

function readObject(
  fields: readonly Field[],
  entries: Entry,
  place: string,
  problems: Map<string, string>,
): Record<string, unknown> {
  const read = fields.flatMap((field): [string, unknown][] => {
    const value = readOne(field, entryNamed(entries, field.name), placeOf(place, field.name), problems);
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(read);
}

function readOne(field: Field, entry: Entry | undefined, place: string, problems: Map<string, string>): unknown {
  if (field.kind === 'list') {
    const items = Array.isArray(entry) ? entry : [];
    if (items.length === 0 && !field.required) return undefined;
    return items.map((item, number) => {
      const itsPlace = placeOf(place, String(number));
      const value = readOne(field.item, item, itsPlace, problems);
      if (value === undefined && !problems.has(itsPlace)) problems.set(itsPlace, 'This is needed.');
      return value ?? null;
    });
  }
  if (field.kind === 'object') {
    const values = readObject(field.fields, entry ?? {}, place, problems);
    return Object.keys(values).length === 0 && !field.required ? undefined : values;
  }
  const text = typeof entry === 'string' ? entry : '';
  if (text === '') return undefined;
  switch (field.kind) {
    case 'text':
      return text;
    case 'boolean':
      return text === 'yes';
    case 'choice':
      return field.options[Number(text)]?.value;
    case 'number': {
      const number = Number(text.trim().replace(',', '.'));
      if (Number.isFinite(number)) return number;
      problems.set(place, 'This is not a number.');
      return undefined;
    }
    case 'json':
      try {
        return JSON.parse(text);
      } catch {
        problems.set(place, 'This is not JSON. Texts stand in double quotes, and nothing follows the last item.');
        return undefined;
      }
  }
}

/** The place of something within a place, as JSON Pointer writes it (RFC 6901 §3). */
export function placeOf(place: string, name: string): string {
  return `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export function entryNamed(entries: Entry, name: string): Entry | undefined {
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
