/** Data as configuration files hold it: an object with any prototype, a list, or a plain value. */
export type Table = Record<string, unknown>;

/** Whether something is an object with properties, whichever prototype a parser gave it. */
export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Whether data is what is wanted; objects may hold more. Prototypes and the order of properties do not count. */
export function covers(present: unknown, wanted: unknown): boolean {
  if (isTable(wanted)) {
    return (
      isTable(present) &&
      Object.keys(wanted).every((key) => Object.hasOwn(present, key) && covers(present[key], wanted[key]))
    );
  }
  return sameData(present, wanted);
}

/** Whether two pieces of data are the same. Prototypes and the order of properties do not count. */
export function sameData(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => sameData(item, other[index]))
    );
  }
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  if (isTable(one) && isTable(other)) {
    return Object.keys(one).length === Object.keys(other).length && covers(one, other);
  }
  return Object.is(one, other);
}

/** What is there, with what is wanted written over it. */
export function merged(present: unknown, wanted: unknown): unknown {
  if (!isTable(present) || !isTable(wanted)) return wanted;
  const written = Object.entries(wanted).map(([key, value]) => [
    key,
    merged(Object.hasOwn(present, key) ? present[key] : undefined, value),
  ]);
  return { ...present, ...Object.fromEntries(written) };
}
