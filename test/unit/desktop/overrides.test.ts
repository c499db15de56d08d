import { describe, expect, it } from 'vitest';
import { OverrideList } from '../../../main/desktop/overrides/override-list.ts';
import { type UserOverride, worthALook } from '../../../main/warehouses/all-overrides.ts';
import { overrideTarget } from '../../../preload/contract/words/warehouse.ts';
import type { Bulk, OverridesProgress, OverridesQuery } from '../../../preload/contract.ts';
import {
  formatPlan,
  formatResults,
  nothingFound,
  overrideState,
  progressOf,
  secondLineOf,
} from '../../../renderer/overrides/format.ts';

const row = (userId: string, of: Partial<UserOverride> = {}): UserOverride => ({
  userId,
  userName: `${userId}@example.com`,
  displayName: userId,
  type: 'CUSTOM',
  warehouseId: 'w1',
  warehouseName: 'Starter',
  warehouseState: 'RUNNING',
  dangling: null,
  ownerKind: 'user',
  canUse: 'unchecked',
  ...of,
});
const query = (of: Partial<OverridesQuery> = {}): OverridesQuery => ({
  search: '',
  only: 'all',
  by: 'dangling',
  descending: false,
  ...of,
});
const listOf = (...rows: UserOverride[]) => {
  const list = new OverrideList();
  for (const each of rows) list.put(each);
  return list;
};
const found = (list: OverrideList, of: Partial<OverridesQuery>, asTheyCome = false) =>
  list.find(query(of), asTheyCome).map(({ userId }) => userId);

describe('the list of all overrides', () => {
  const list = listOf(
    row('zoe'),
    row('Émile', { warehouseName: 'Finance', warehouseId: 'w2' }),
    row('adam', { type: 'LAST_SELECTED', warehouseId: null, warehouseName: null, warehouseState: null }),
    row('eve', { dangling: 'warehouse-gone', warehouseId: 'w3', warehouseName: null, warehouseState: null }),
  );

  it('starts with those whose queries fail, then the others by name, without regard to accents and capitals', () => {
    expect(found(list, {})).toEqual(['eve', 'adam', 'Émile', 'zoe']);
  });

  it.each<[Partial<OverridesQuery>, string[]]>([
    [{ by: 'user' }, ['adam', 'Émile', 'eve', 'zoe']],
    [{ by: 'user', descending: true }, ['zoe', 'eve', 'Émile', 'adam']],
    [{ by: 'warehouse' }, ['Émile', 'zoe', 'eve', 'adam']],
    [{ only: 'dangling' }, ['eve']],
    [{ search: 'FIN' }, ['Émile']],
    [{ search: 'example last' }, ['adam']],
    [{ search: 'w3' }, ['eve']],
    [{ search: 'nobody' }, []],
  ])('finds and sorts as requested: %j', (of, expected) => {
    expect(found(list, of)).toEqual(expected);
  });

  it('stays in the order of arrival while it is being read', () => {
    expect(found(list, {}, true)).toEqual(['zoe', 'Émile', 'adam', 'eve']);
  });

  it('shows a change at once, and counts users whose queries fail', () => {
    const changing = listOf(row('a'), row('b', { dangling: 'cannot-use' }));
    expect(changing.dangling).toBe(1);
    expect(found(changing, { only: 'dangling' })).toEqual(['b']);
    changing.put(row('b'));
    changing.put(row('c', { dangling: 'deleting' }));
    changing.remove('a');
    changing.remove('nobody');
    expect(changing.dangling).toBe(1);
    expect(found(changing, {})).toEqual(['c', 'b']);
    changing.remove('c');
    expect([changing.dangling, changing.size]).toEqual([0, 1]);
  });

  it('counts users whose access could not be read, and shows them with those whose queries fail', () => {
    const changing = listOf(row('a', { canUse: 'unknown' }), row('b', { canUse: true }));
    expect([changing.dangling, changing.unknown]).toEqual([0, 1]);
    expect(found(changing, { only: 'dangling' })).toEqual(['a']);
    changing.put(row('a', { canUse: true }));
    expect(changing.unknown).toBe(0);
    expect(overrideState(row('a', { canUse: 'unknown' }))).toBe('Permission unknown');
  });

  it('names the warehouses whose permissions should be checked', () => {
    expect([...worthALook(list.rows())]).toEqual(['w1', 'w2']);
  });
});

describe('an override as text', () => {
  it('names its warehouse, or its placeholder', () => {
    expect(overrideTarget(row('a'))).toBe('Starter');
    expect(overrideTarget(row('a', { warehouseName: null }))).toBe('Warehouse w1');
    expect(overrideTarget(row('a', { type: 'LAST_SELECTED' }))).toBe('Last selected');
    expect(overrideTarget(row('a', { type: 'NEWER' }))).toBe('NEWER');
    expect(overrideTarget(row('a', { warehouseId: null, warehouseName: null }))).toBe('No warehouse');
    expect(overrideTarget(null)).toBe('No override');
    expect(overrideState(row('a', { dangling: 'cannot-use' }))).toBe('No CAN USE: queries fail');
    expect(overrideState(row('a', { warehouseState: null }))).toBe('');
  });

  it('names its user by user name, and by id if names are the same', () => {
    expect(secondLineOf(row('a'))).toBe('a@example.com');
    expect(secondLineOf(row('a', { displayName: 'a@example.com' }))).toBe('a');
    expect(secondLineOf(row('a', { displayName: '', userName: '' }))).toBe('');
  });

  const reading = (of: Partial<OverridesProgress>): OverridesProgress => ({
    profile: 'acme',
    status: 'complete',
    count: 1200,
    dangling: 0,
    unknown: 0,
    access: 'unchecked',
    problem: null,
    revision: 1,
    ...of,
  });
  it.each<[Partial<OverridesProgress>, string]>([
    [{}, '1,200 overrides'],
    [{ count: 1, dangling: 1 }, '1 override · 1 failing'],
    [{ dangling: 2 }, '1,200 overrides · 2 failing'],
    [{ access: 'checked' }, '1,200 overrides · None failing'],
    [{ access: 'checked', unknown: 2 }, '1,200 overrides · 2 with unknown permission'],
    [{ status: 'reading', count: 0 }, 'Loading overrides'],
    [{ status: 'reading' }, 'Loading · 1,200 overrides'],
    [{ status: 'stopped' }, 'Stopped after 1,200 overrides · There are more'],
    [{ status: 'failed' }, 'Stopped after 1,200 overrides · There may be more'],
  ])('has a line about its loading: %j', (of, words) => {
    expect(progressOf(reading(of))).toBe(words);
  });

  const noRows = (of: Partial<OverridesProgress>, only: OverridesQuery['only'], search = '') =>
    nothingFound(reading(of), query({ only, search }));
  it('says that no queries fail only once access was checked', () => {
    expect(noRows({ access: 'unchecked' }, 'dangling')).toContain('Permissions are not checked yet.');
    expect(noRows({ access: 'checking' }, 'dangling')).toBe('Checking permissions');
    expect(noRows({ access: 'checked' }, 'dangling')).toBe('No overrides fail.');
    expect(noRows({ access: 'checked', unknown: 1 }, 'dangling')).toContain('not checked yet');
    expect(noRows({ access: 'checked' }, 'dangling', 'zoe')).toBe('No overrides match your search.');
    expect(noRows({ access: 'checked' }, 'all', 'zoe')).toBe('No overrides match your search.');
    expect(noRows({ count: 0 }, 'dangling')).toBe('All users run on the workspace default.');
  });

  const bulk = (of: Partial<Bulk>): Bulk => ({
    source: 'a.csv',
    isUndo: false,
    stage: 'planned',
    planned: { create: 0, update: 0, delete: 0, unchanged: 0, invalid: 0 },
    warnings: 0,
    accessUnknown: 0,
    leftOut: 0,
    total: 0,
    ended: 0,
    results: { done: 0, unchanged: 0, invalid: 0, failed: 0, 'not-tried': 0, 'left-out': 0 },
    problem: null,
    journal: null,
    revision: 0,
    ...of,
  });
  it('has a line about a plan and its result', () => {
    const planned = { create: 1, update: 2, delete: 0, unchanged: 1, invalid: 3 };
    expect(formatPlan(bulk({ planned, warnings: 1, leftOut: 1 }))).toBe(
      '1 to set · 2 to change · 1 unchanged · 3 not possible · 1 left out. 1 change would make queries fail. It is left out unless you include it. Nothing has changed yet.',
    );
    expect(formatPlan(bulk({ planned, accessUnknown: 2 }))).toContain(
      'The permission could not be checked for 2 changes. Nothing has changed yet.',
    );
    const results = { done: 1000, unchanged: 0, invalid: 1, failed: 2, 'not-tried': 3, 'left-out': 1 };
    expect(formatResults(bulk({ results }))).toBe(
      '1,000 overrides changed · 1 left out · 1 not possible · 2 failed · 3 not tried',
    );
  });
});
