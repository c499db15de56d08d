import type { Diagnosis, DiagnosticCheck } from '../../preload/contract.ts';
import { strings } from './strings.ts';

export const DIAGNOSIS_STATUS_TEXT: Record<DiagnosticCheck['status'], string> = strings.status;

/** What needs attention stands first. Checks that have no result yet keep their place among themselves. */
const ORDER: DiagnosticCheck['status'][] = ['fail', 'warning', 'unknown', 'running', 'waiting', 'pass', 'skipped'];

/** The checks, problems first; in their own order while they run. */
export function sortedChecks({ running, checks }: Diagnosis): DiagnosticCheck[] {
  if (running) return checks;
  return [...checks].sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
}

/** All checks together in one line: `1 problem · 13 OK`. */
export function formatDiagnosis({ running, startedAt, checks }: Diagnosis): string {
  const count = (...statuses: DiagnosticCheck['status'][]) =>
    checks.filter(({ status }) => statuses.includes(status)).length;
  if (running) return strings.progress(checks.length - count('waiting', 'running'), checks.length);
  if (startedAt === null) return strings.notRun;
  const parts = [
    count('fail') > 0 && strings.problems(count('fail')),
    count('warning') > 0 && strings.warnings(count('warning')),
    count('unknown') > 0 && strings.unknown(count('unknown')),
    strings.ok(count('pass')),
  ];
  return parts.filter((part) => part !== false).join(' · ');
}
