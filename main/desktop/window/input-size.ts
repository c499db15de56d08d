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
    if (typeof value === 'string') characters -= value.length;
    else if (ArrayBuffer.isView(value)) characters -= value.byteLength;
    else if (Array.isArray(value)) {
      if (value.length + open.length > values) return true;
      for (const item of value) open.push(item);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        characters -= name.length;
        open.push(item);
      }
    }
    if (values < open.length || characters < 0) return true;
  }
  return false;
}
