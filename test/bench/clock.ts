/** How long each of so many runs took, in milliseconds, shortest first. */
export async function times(count: number, run: () => Promise<void>): Promise<number[]> {
  const took: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const start = performance.now();
    await run();
    took.push(performance.now() - start);
  }
  return took.sort((a, b) => a - b);
}

/** The value that this share of the values is below. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
