import { describe, expect, it } from 'vitest';
import { afterEvent, atEnd, verificationAtStart } from '../../../main/desktop/warehouse/verification.ts';
import type { CheckResult } from '../../../main/warehouses/verify.ts';
import type { Verification } from '../../../preload/contract.ts';
import { beforeEndToEnd, checkLines } from '../../../renderer/warehouse/verify.tsx';

const statuses = ({ checks }: Verification) => checks.map(({ status }) => status);
const result = (check: CheckResult['check'], verdict: CheckResult['verdict']) => ({
  kind: 'finished' as const,
  result: { check, verdict, evidence: 'Seen.', at: '', tookMillis: 0 },
});

describe('the checks while they run', () => {
  it('wait, run, and say what they do and what they found', () => {
    let now = verificationAtStart({ endToEnd: { mayStop: new Set() } });
    expect(statuses(now)).toEqual(['waiting', 'waiting', 'waiting']);
    now = afterEvent(now, { kind: 'started', check: 'record' }, false);
    now = afterEvent(now, result('record', 'pass'), false);
    now = afterEvent(now, { kind: 'started', check: 'end-to-end' }, false);
    now = afterEvent(now, { kind: 'progress', check: 'end-to-end', message: 'Stopping A.' }, false);
    expect(now.running).toBe(true);
    expect(now.checks).toEqual([
      { name: 'record', status: 'pass', words: 'Seen.' },
      { name: 'resolver', status: 'waiting', words: '' },
      { name: 'end-to-end', status: 'running', words: 'Stopping A.' },
    ]);
  });

  it('include the proof where it is wanted', () => {
    expect(verificationAtStart({ prove: {} }).checks.map(({ name }) => name)).toEqual(['record', 'resolver', 'query']);
  });

  it('are canceled if they were interrupted, and say what they had stopped', () => {
    const now = afterEvent(
      verificationAtStart({ endToEnd: { mayStop: new Set() } }),
      result('record', 'unknown'),
      false,
    );
    const ended = atEnd(afterEvent(now, result('end-to-end', 'unknown'), true), 42);
    expect(statuses(ended)).toEqual(['unknown', 'cancelled', 'cancelled']);
    expect(ended.checks[2]?.words).toBe('Seen.');
    expect(ended.running).toBe(false);
  });

  it('keep a result that arrived before the user canceled', () => {
    expect(statuses(afterEvent(verificationAtStart({}), result('record', 'fail'), true))).toEqual(['fail', 'waiting']);
  });
});

describe('the checks in the window', () => {
  it('are four, requested or not, each with its meaning until it has a result', () => {
    expect(checkLines(null).map(({ status }) => status)).toEqual(['not-run', 'not-run', 'not-run', 'not-run']);
    const lines = checkLines(afterEvent(verificationAtStart({}), result('record', 'pass'), false));
    expect(lines.map(({ status }) => status)).toEqual(['pass', 'waiting', 'not-run', 'not-run']);
    expect(lines[0]?.words).toBe('Seen.');
    expect(lines[2]?.words).toContain('query history');
  });

  it.each([
    [[], 'Nothing has to be stopped'],
    [['A'], 'This warehouse is stopped first'],
    [['A', 'B'], 'These 2 warehouses are stopped first'],
  ])('say before a cold start what happens to %j', (names, words) => {
    expect(beforeEndToEnd(names)).toContain(words);
  });
});
