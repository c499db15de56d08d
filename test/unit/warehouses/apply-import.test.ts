import { describe, expect, it } from 'vitest';
import { applyImport } from '../../../main/warehouses/bulk/apply.ts';
import type { PlannedLine } from '../../../main/warehouses/bulk/plan.ts';
import { CancelledAfterChange } from '../../../main/warehouses/lost-answers.ts';
import { WorkspaceError } from '../../../main/workspace/errors.ts';

const plan = Array.from({ length: 13 }, (_, index): PlannedLine => {
  const named = { line: index + 2, userId: String(index), userName: `user-${index}` };
  return {
    ...named,
    action: 'create',
    fields: { type: 'LAST_SELECTED' },
    was: null,
    before: 'No override',
    after: 'Last selected',
  };
});

describe('an import that is stopped', () => {
  it('counts a change that was made anyway as done, and says of the others that they were not tried', async () => {
    const stopping = new AbortController();
    const admin = {
      async setOverride(userId: string): Promise<never> {
        await Promise.resolve();
        stopping.abort();
        const cancelled = new WorkspaceError('cancelled', 'Canceled.', { mayHaveRun: true });
        throw userId === '0' ? new CancelledAfterChange(cancelled) : cancelled;
      },
      clearOverride: () => Promise.resolve('cleared' as const),
    };
    const results = await applyImport(admin, plan, { signal: stopping.signal });
    expect(results.map(({ result, message }) => `${result}: ${message}`)).toEqual([
      'done: Last selected',
      ...Array<string>(7).fill('failed: Canceled.'),
      ...Array<string>(5).fill('not-tried: interrupted'),
    ]);
  });
});
