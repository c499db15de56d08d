import { ANY_TIME, spanOfDay } from '../../activity/call-filter.ts';
import { CausewayError } from '../../platform/errors.ts';

const UNITS: Record<string, number> = { m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 };

/**
 * The moment that `--since` names, in milliseconds since the epoch: `30m`, `2h` or `7d` before now, a day such as `2026-11-27`, or a time in
 * ISO 8601. @throws {CausewayError} `usage`
 */
export function sinceIn(text: string | undefined, now: number): number {
  if (text === undefined) return ANY_TIME.from;
  const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? 0);
  const day = spanOfDay(text);
  const moment = day ? day.from : /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw new CausewayError('usage', `--since "${text}" is not a time.`, {
    remedy: 'Give 30m, 2h or 7d, a day such as 2026-11-27, or a time such as 2026-11-27T14:00.',
  });
}

/** The day that `--day` names. @throws {CausewayError} `usage` */
export function dayIn(text: string): string {
  if (spanOfDay(text)) return text;
  throw new CausewayError('usage', `--day "${text}" is not a day.`, { remedy: 'Give it as 2026-11-27.' });
}
