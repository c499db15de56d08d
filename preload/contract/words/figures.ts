/** Numbers, sizes and durations, as every screen and the command write them. */

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** `1,234.5`. */
export function formatNumber(count: number): string {
  return number.format(count);
}

const SIZES = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** `2.3 MB`, in powers of a thousand. */
export function formatBytes(bytes: number): string {
  const power = Math.min(SIZES.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${number.format(bytes / 1000 ** power)} ${SIZES[power]}`;
}

/** `12 ms`, `1.2 s`, `2 min 5 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1) return 'under 1 ms';
  if (durationMs < 999.5) return `${Math.round(durationMs)} ms`;
  if (durationMs < 60_000) return `${number.format(durationMs / 1000)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
