import { describe, expect, it } from 'vitest';
import { failureInWindow, problemFor, remedyInWindow } from '../../../main/desktop/failure.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import type { NextAction } from '../../../main/platform/next-action.ts';
import { inOverrideWords, type OverrideAttempt, warehouseGone } from '../../../main/warehouses/override-operations.ts';
import { inOneLine } from '../../../main/words/failure.ts';
import { WorkspaceError } from '../../../main/workspace/errors.ts';

const A_COMMAND = /`causeway |causeway (login|servers|clients)|--profile|--force|DATABRICKS_/;

const ACTIONS: readonly NextAction[] = [
  { do: 'sign-in', profile: 'my work' },
  { do: 'check-sign-in', profile: 'my work', path: '/api/2.0/mcp/sql' },
  { do: 'check-credentials', profile: 'my work', path: '/api/2.0/mcp/sql' },
  { do: 'grant-scope', profile: 'my work' },
  { do: 'add-workspace', profile: 'work' },
  { do: 'choose-profile', profiles: ['a', 'b'] },
  { do: 'choose-warehouse' },
  { do: 'choose-warehouse-for-user' },
  { do: 'find-user' },
  { do: 'show-own-override' },
  { do: 'change-own-override' },
  { do: 'list-warehouses' },
  { do: 'export-overrides' },
  { do: 'quit-client', client: 'Claude Desktop' },
  { do: 'free-entry', client: 'Cursor' },
  { do: 'list-backups' },
  { do: 'paste-by-hand' },
  { do: 'add-server' },
  { do: 'create-application', command: 'databricks account …', port: 8020 },
  { do: 'see-profiles' },
  { do: 'check-address', profile: 'my work' },
  { do: 'see-client-files' },
  { do: 'repair-entries' },
  { do: 'connect-client' },
  { do: 'sign-in-to-service', profile: 'my work', service: 'system.ai.github', title: 'GitHub' },
  { do: 'renew-service-sign-in', profile: 'my work', service: 'system.ai.github', title: 'GitHub' },
  { do: 'sign-in-again', profile: 'my work' },
  { do: 'add-browser-profile', host: 'https://acme.cloud.databricks.com' },
  { do: 'confirm-app', app: 'mcp-reports', profile: 'my work' },
  { do: 'start-app', app: 'mcp-reports', profile: 'my work' },
];

describe('the next step', () => {
  it.each(ACTIONS)('is a command in the terminal and a button in the window: $do', (action) => {
    const error = new CausewayError('not_found', 'It is not there.', { remedy: 'All is well.', action });
    expect(inOneLine(error)).toMatch(/^It is not there\. All is well\. ./);
    expect(inOneLine(error)).toMatch(A_COMMAND);
    expect(failureInWindow(error)).toMatch(/^It is not there\. All is well\. [^`]*[^`.]\.$/);
    expect(failureInWindow(error)).not.toMatch(A_COMMAND);
    expect(problemFor(error).remedy).toBe(remedyInWindow(error));
  });

  it('quotes a profile for the shell', () => {
    const error = new CausewayError('signed_out', 'No.', { action: { do: 'sign-in', profile: 'my work' } });
    expect(inOneLine(error)).toBe('No. Sign in with: causeway login --profile "my work".');
  });

  it('is empty if there is nothing to say', () => {
    expect(problemFor(new CausewayError('internal', 'No')).remedy).toBeNull();
  });
});

describe('an override API refusal', () => {
  const refused = ['not_found', 'already_exists', 'permission_denied', 'feature_unavailable'] as const;
  const single = (['create', 'get', 'update', 'delete'] as const).flatMap((operation) =>
    ['me', '17'].map((id): OverrideAttempt => ({ operation, id })),
  );
  const attempts: OverrideAttempt[] = [...single, { operation: 'list', id: '' }];
  const all = attempts.flatMap((attempt) => refused.map((code) => ({ ...attempt, code })));

  it.each(all)('names no command in the window: $code of $operation $id', ({ code, ...attempt }) => {
    const problem = problemFor(inOverrideWords(new WorkspaceError(code, 'The workspace answered.'), attempt));
    expect(`${problem.message} ${problem.remedy}`).not.toMatch(A_COMMAND);
  });

  it('leads to the list if the warehouse is gone', () => {
    const gone = warehouseGone(new WorkspaceError('not_found', 'Gone.'), 'a1');
    expect(inOneLine(gone)).toContain('`causeway warehouse list` shows the available warehouses.');
    expect(problemFor(gone).remedy).toBe('Choose another warehouse from the list.');
  });
});
