/** How much a request may hold: values of any kind, and characters of texts and names. */
interface InputLimit {
  values: number;
  characters: number;
}

const MIB = 1024 * 1024;
/** More than any form of the window has. */
const USUAL: InputLimit = { values: 20_000, characters: 2 * MIB };
/** For tables and lists that the window shows, and sends back to be copied, saved or changed. */
const LARGE: InputLimit = { values: 1_000_000, characters: 64 * MIB };

/**
 * Whether a request holds more than one may. It is counted no further than that: a schema would look at every item of a list, and
 * note what is wrong with it, before it looks at the list's length.
 */
export function isTooLarge(input: unknown, isLarge: boolean): boolean {
  const limit = isLarge ? LARGE : USUAL;
  let { values, characters } = limit;
  const open: unknown[] = [input];
  while (open.length > 0) {
    const value = open.pop();
    values -= 1;
    characters -= charactersOf(value);
    const items = itemsOf(value);
    if (items.length + open.length > values || characters < 0) return true;
    for (const item of items) open.push(item);
  }
  return false;
}

function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  return isRecord(value) ? Object.keys(value).reduce((sum, name) => sum + name.length, 0) : 0;
}

function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}
