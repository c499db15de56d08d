/** The powers of ten, in milliseconds, that a scale has marks at: from 1 ms, at least to 100 ms, and past the worst. */
export function ticksFor(worst: number): number[] {
  const decades = Math.max(2, Math.ceil(Math.log10(Math.max(1, worst))));
  return Array.from({ length: decades + 1 }, (_, power) => 10 ** power);
}

/** How high a duration stands between the first and the last mark, from 0 to 1. */
export function heightOf(millis: number, bottom: number, top: number): number {
  const share = Math.log10(Math.max(bottom, millis) / bottom) / Math.log10(top / bottom);
  return Math.min(1, share);
}

/** A line through places that lie at equal distances across a width, broken where there is none. A lone one is a dot. */
export function lineThrough(places: readonly (number | null)[], width: number): string {
  const step = width / Math.max(1, places.length - 1);
  const parts: string[] = [];
  for (const [index, place] of places.entries()) {
    if (place === null) continue;
    const at = `${round(index * step)} ${round(place)}`;
    const begins = (places[index - 1] ?? null) === null;
    parts.push(begins ? `M ${at} h 0` : `L ${at}`);
  }
  return parts.join(' ');
}

/** The dots of a line that stand alone, larger than the line is thick. */
export function loneDots(places: readonly (number | null)[], width: number): string {
  const isThere = (index: number) => (places[index] ?? null) !== null;
  return lineThrough(
    places.map((place, index) => (isThere(index - 1) || isThere(index + 1) ? null : place)),
    width,
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
