import type { Check, Verification } from '../../preload/contract.ts';

/** What each check is called, and what it finds out, for as long as it has nothing to say itself. */
const CHECKS: Record<Check['name'], { title: string; meaning: string }> = {
  record: { title: 'Recorded', meaning: 'The workspace holds your choice as it is shown here.' },
  resolver: { title: 'Resolves', meaning: 'The Databricks command line comes to the same warehouse.' },
  'end-to-end': {
    title: 'End to end',
    meaning: 'With everything stopped, a query through the SQL server starts this warehouse and no other.',
  },
};

export const STATUS_WORDS: Record<Check['status'] | 'not-run', string> = {
  'not-run': 'Not checked',
  waiting: 'Waiting',
  running: 'Checking…',
  pass: 'Passed',
  fail: 'Failed',
  unknown: 'Could not tell',
  'not-applicable': 'Nothing to check',
  cancelled: 'Cancelled',
};

export interface CheckLine {
  name: Check['name'];
  title: string;
  status: keyof typeof STATUS_WORDS;
  words: string;
}

/** All three checks in their order, also those that were not asked for. */
export function checkLines(verification: Verification | null): CheckLine[] {
  const names: Check['name'][] = ['record', 'resolver', 'end-to-end'];
  return names.map((name) => {
    const { title, meaning } = CHECKS[name];
    const check = verification?.checks.find((each) => each.name === name);
    return { name, title, status: check?.status ?? 'not-run', words: check?.words || meaning };
  });
}

/** What the third check does to the warehouses that run, before it is begun. */
export function beforeEndToEnd(names: readonly string[]): string {
  if (names.length === 0) return 'No warehouse runs just now, so nothing has to be stopped.';
  const which = names.length === 1 ? 'this warehouse' : `these ${names.length} warehouses`;
  return `It stops ${which} first, and starts what it stopped again afterwards. Queries that run there, yours and those of others, are cut off.`;
}
