import { appendFileSync } from 'node:fs';

/** What was done and what it printed, as a terminal shows it: `#` is root, `$` the ordinary user. */
export function show(line: string): void {
  process.stdout.write(`    ${line}\n`);
  const file = process.env.CAUSEWAY_TRANSCRIPT;
  if (file) appendFileSync(file, `${line}\n`);
}

/** Longer output is not worth reading in the transcript. */
const MAX_LINES = 30;

export function showOutput(output: string): void {
  const lines = output.trimEnd().split('\n');
  for (const line of lines.slice(0, MAX_LINES)) if (line !== '') show(`  ${line}`);
  if (lines.length > MAX_LINES) show(`  … ${lines.length - MAX_LINES} more lines`);
}

/** Seconds since a moment of `performance.now()`, for people. */
export function secondsSince(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
