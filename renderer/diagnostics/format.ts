import type { Diagnosis, DiagnosticCheck } from '../../preload/contract.ts';

/** A shape beside each word, so that colour never speaks alone. */
export const MARKS: Record<DiagnosticCheck['status'], string> = {
  waiting: '○',
  running: '◔',
  pass: '✓',
  warning: '!',
  fail: '✕',
  unknown: '?',
  skipped: '–',
};

export const DIAGNOSIS_STATUS_TEXT: Record<DiagnosticCheck['status'], string> = {
  waiting: 'Not checked',
  running: 'Checking…',
  pass: 'In order',
  warning: 'Look at this',
  fail: 'Not in order',
  unknown: 'Not known',
  skipped: 'Nothing to check',
};

/** What all checks together came to, as a sentence. */
export function formatDiagnosis({ running, startedAt, checks }: Diagnosis): string {
  if (running) {
    const done = checks.filter(({ status }) => status !== 'waiting' && status !== 'running').length;
    return `Checking: ${done} of ${checks.length} done.`;
  }
  if (startedAt === null)
    return 'See what works and what does not: on this computer, on the way, and in the workspace.';
  const failed = checks.filter(({ status }) => status === 'fail').length;
  const notable = checks.filter(({ status }) => status === 'warning').length;
  if (failed > 0) return failed === 1 ? 'One thing is not in order.' : `${failed} things are not in order.`;
  if (checks.some(({ status }) => status === 'unknown')) return 'Not everything was checked.';
  if (notable > 0) return 'Everything works. There is something to look at.';
  return 'Everything is in order.';
}
