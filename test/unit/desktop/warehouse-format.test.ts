import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../preload/contract/error-facts.ts';
import { timeAgo } from '../../../preload/contract/words/times.ts';
import { formatState } from '../../../preload/contract/words/warehouse.ts';
import type { EffectiveStepInfo, EffectiveWarehouseInfo } from '../../../preload/contract.ts';
import { effectiveName, formatDetails, reasonFor } from '../../../preload/format.ts';
import {
  afterChoosing,
  afterClearing,
  formatOutcome,
  formatTarget,
  search,
  titleOf,
  toneOf,
} from '../../../renderer/warehouse/format.ts';
import { effective, warehouse } from './states.ts';

const step = (change: Partial<EffectiveStepInfo>): EffectiveStepInfo => ({
  source: 'workspace-default',
  outcome: 'passed-over',
  certainty: 'known',
  warehouse: null,
  reason: '',
  ...change,
});

describe('the window', () => {
  it.each([
    ['RUNNING', 'Running'],
    ['DELETING', 'Being deleted'],
    ['HALF_ASLEEP', 'Half asleep'],
    ['', ''],
  ])('shows the state %j as %j', (state, words) => {
    expect(formatState(state)).toBe(words);
  });

  it('shows what a warehouse is', () => {
    expect(formatDetails(warehouse())).toBe('Running · Medium · Serverless');
    expect(formatDetails(warehouse({ state: 'UNKNOWN', size: '', type: '', serverless: false }))).toBe('State unknown');
  });

  const unnamed: [string, Partial<EffectiveWarehouseInfo>, string, string][] = [
    [
      'last selected',
      { override: { type: 'LAST_SELECTED', warehouseId: null }, certainty: 'unknown' },
      'Your last selected warehouse',
      'Your last selection',
    ],
    ['one that is gone', {}, 'Missing warehouse', 'Your override'],
    ['none at all', { decidedBy: null, override: null, steps: [] }, 'No warehouse', 'No warehouse available to you'],
    [
      'what could not be read',
      { decidedBy: null, override: null, certainty: 'unknown', steps: [step({ outcome: 'unreadable' })] },
      'No warehouse',
      'Some settings could not be read',
    ],
  ];
  it.each(unnamed)('shows a warehouse without a name: %s', (_name, change, name, because) => {
    const value = effective({ warehouse: null, ...change });
    expect(effectiveName(value)).toBe(name);
    expect(reasonFor(value)).toBe(because);
  });

  it('shows how long ago something was', () => {
    expect(timeAgo(0, 59_999)).toBe('just now');
    expect(timeAgo(0, 60_000)).toBe('1 minute ago');
    expect(timeAgo(0, 3 * 3_600_000)).toBe('3 hours ago');
    expect(timeAgo(0, 49 * 3_600_000)).toBe('2 days ago');
    expect(timeAgo(5000, 0)).toBe('just now');
  });
});

describe('the result of a step', () => {
  it.each([
    [step({ outcome: 'decides' }), 'In effect'],
    [step({ certainty: 'predicted' }), 'Not used'],
    [step({ outcome: 'empty' }), 'Not set'],
    [step({ outcome: 'unreadable' }), 'Unknown'],
    [step({ source: 'heuristic', certainty: 'predicted' }), 'Not used'],
    [step({ source: 'heuristic', outcome: 'decides', certainty: 'predicted' }), 'In effect'],
    [step({ source: 'heuristic', outcome: 'empty' }), 'None'],
  ])('%j is "%s"', (value, words) => {
    expect(formatOutcome(value)).toBe(words);
  });

  it('marks a predicted warehouse as predicted', () => {
    const found = { warehouse: warehouse() };
    expect(formatTarget(step(found))).toBe('Shared analytics');
    expect(formatTarget(step({ ...found, source: 'heuristic' }))).toBe('Shared analytics (predicted)');
    expect(formatTarget(step({}))).toBe('');
  });
});

describe('before the override is cleared', () => {
  const starter = warehouse({ name: 'Starter' });
  const heuristic = step({ source: 'heuristic', certainty: 'predicted', warehouse: warehouse() });

  it.each([
    [
      'the workspace default is named',
      [step({ warehouse: starter }), heuristic],
      'Queries will run on Starter, the workspace default.',
    ],
    [
      'a default that cannot be seen is described as one',
      [step({}), heuristic],
      'Queries will run on the workspace default.',
    ],
    [
      'a default that cannot be read is described as unread',
      [step({ outcome: 'unreadable' })],
      'Queries will run on the workspace default. It could not be read.',
    ],
    [
      'the predicted one is named if there is no default',
      [step({ outcome: 'empty' }), heuristic],
      'The workspace has no default. Queries will probably run on Shared analytics.',
    ],
    [
      'nothing is promised if there is nothing',
      [step({ outcome: 'empty' })],
      'The workspace has no default, and no other warehouse is available to you. Queries will fail.',
    ],
  ])('%s', (_name, steps, words) => {
    expect(afterClearing(effective({ steps }))).toBe(words);
  });
});

describe('before a warehouse is chosen', () => {
  it('says what will happen', () => {
    const now = effective({ override: null });
    const science = warehouse({ id: 'c3', name: 'Data science' });
    expect(afterChoosing(science, now)).toBe('New queries run on Data science.');
    expect(afterChoosing({ ...science, state: 'STOPPED' }, now)).toContain('It starts with the first query.');
    expect(afterChoosing({ ...science, canUse: false }, now)).toContain('would fail');
    expect(afterChoosing({ ...science, canUse: 'unknown' }, now)).toBe('New queries run on Data science.');
  });

  it('says that the workspace default is pinned, and that an override stays', () => {
    const starter = warehouse({ id: 'b2', name: 'Starter' });
    expect(afterChoosing(starter, effective({ override: null }))).toBe(
      'Pins Starter. It stays even if the default changes.',
    );
    expect(afterChoosing(warehouse(), effective())).toBe('Shared analytics is already your override.');
  });
});

describe('the heading of a failure', () => {
  const titled = (code: ErrorCode, next: 'sign-in' | 'try-again') =>
    titleOf({ problem: { code, message: '', remedy: null }, next });

  it.each<ErrorCode>([
    'signed_out',
    'consent_denied',
    'sign_in_failed',
    'sign_in_cancelled',
    'sign_in_timeout',
    'unauthenticated',
    'missing_scope',
    'user_changed',
  ])('says for %s that the sign-in failed', (code) => {
    expect(titled(code, 'sign-in')).toMatch(/^(Sign-in |Signed out)/);
  });

  it('names any other failure by its code', () => {
    expect(titled('timeout', 'try-again')).toBe('Workspace not responding');
    expect(titled('user_changed', 'try-again')).toBe('Warehouse not available');
  });
});

it('each state has its own look', () => {
  expect(['RUNNING', 'STARTING', 'STOPPED', 'DELETED', 'NEW'].map(toneOf)).toEqual([
    'good',
    'changing',
    'resting',
    'failed',
    'resting',
  ]);
});

describe('the search for a warehouse', () => {
  const list = [
    warehouse({ id: '1', name: 'Nightly', state: 'STOPPED', size: 'X-Large' }),
    warehouse({ id: '2', name: 'Finance', canUse: false }),
    warehouse({ id: '3', name: 'Shared analytics' }),
    warehouse({ id: '4', name: 'Gone', state: 'DELETED' }),
    warehouse({ id: '5', name: 'Going', state: 'DELETING' }),
    warehouse({ id: '6', name: 'Adhoc', state: 'STOPPED', serverless: false }),
  ];
  const names = (text: string) => search(list, text).map(({ name }) => name);

  it('puts running ones first and unusable ones last, and leaves out deleted ones', () => {
    expect(names('')).toEqual(['Shared analytics', 'Nightly', 'Adhoc', 'Finance']);
  });

  it.each([
    ['SHARED', ['Shared analytics']],
    ['stopped', ['Nightly', 'Adhoc']],
    ['stopped serverless', ['Nightly']],
    ['  x-large ', ['Nightly']],
    ['no permission', ['Finance']],
    ['nowhere', []],
  ])('for %j finds %j', (text, found) => {
    expect(names(text)).toEqual(found);
  });

  it('leaves the given list unchanged', () => {
    search(list, '');
    expect(list.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6']);
  });
});
