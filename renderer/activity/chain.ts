import { formatDuration } from '../../preload/contract/words/figures.ts';
import type { ActivityCall, CallAttempt } from '../../preload/contract.ts';
import { strings } from './strings.ts';

/** A part of a call's time, and where it passed. */
export interface ChainPart {
  where: 'causeway' | 'workspace' | 'between';
  /** When it began, in milliseconds since the call came. */
  atMs: number;
  ms: number;
}

/** Where the time of a call passed, in order. `between` is the wait before another attempt. */
export function partsOf({ durationMs, attempts }: Pick<ActivityCall, 'durationMs' | 'attempts'>): ChainPart[] {
  const parts: ChainPart[] = [];
  let at = 0;
  for (const [index, { afterMs, tookMs }] of attempts.entries()) {
    parts.push({ where: index === 0 ? 'causeway' : 'between', atMs: at, ms: Math.max(0, afterMs - at) });
    const took = tookMs ?? Math.max(0, durationMs - afterMs);
    parts.push({ where: 'workspace', atMs: afterMs, ms: took });
    at = afterMs + took;
  }
  parts.push({ where: 'causeway', atMs: at, ms: Math.max(0, durationMs - at) });
  return parts.filter(({ ms }) => ms > 0);
}

export function totalMs(parts: readonly ChainPart[], where: ChainPart['where']): number {
  return parts.reduce((sum, part) => (part.where === where ? sum + part.ms : sum), 0);
}

/** How one attempt ended. */
export function attemptResult({ tookMs, failure }: CallAttempt): string {
  const texts = strings.call.chain;
  if (tookMs === null) return texts.noAnswer;
  const time = formatDuration(tookMs);
  if (failure === null) return texts.answeredIn(time);
  switch (failure.reason) {
    case 'session-lost':
      return texts.sessionLost(time);
    case 'not-sent':
      return texts.notReached(time);
    case 'broken':
      return texts.broken(time);
    case 'too-long':
      return texts.tooLong(time);
    case 'refused':
      return failure.status === null ? texts.refusedPlain(time) : texts.refused(failure.status, time);
  }
}

/** What went wrong with a call and what to do; null if nothing did. */
export function problemIn({
  outcome,
  errorCode,
  problem,
}: ActivityCall): { message: string; remedy: string | null } | null {
  if (outcome === 'answered') return null;
  if (problem?.message) return { message: problem.message, remedy: null };
  if (outcome === 'cancelled') return { message: strings.call.meaning.cancelled, remedy: null };
  const codes: Record<string, string> = strings.call.codes;
  const message = (outcome === 'error' && codes[String(errorCode)]) || strings.call.meaning[outcome];
  return { message, remedy: strings.call.remedy[outcome] };
}
