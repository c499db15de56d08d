import { describe, expect, test } from 'vitest';
import { CausewayError } from '../../../main/platform/errors.ts';
import { explain } from '../../../main/warehouses/chain.ts';
import type { Reading, Readings } from '../../../main/warehouses/readings.ts';
import type { Warehouse } from '../../../main/workspace/warehouses.ts';

/** Cases that no workspace of ours can bring about. The others are held against the embedded workspace. */

const NONE = { kind: 'none' } as const;
const known = <T>(value: T): Reading<T> => ({ kind: 'known', value });
const unreadable = (code: CausewayError['code']) =>
  ({ kind: 'unreadable', error: new CausewayError(code, 'It failed.') }) as const;

function warehouse(id: string, more: Partial<Warehouse> = {}): Warehouse {
  return { id, name: `W ${id}`, state: 'STOPPED', cluster_size: 'Small', enable_serverless_compute: false, ...more };
}

const one = warehouse('1');
const two = warehouse('2', { state: 'RUNNING' });

const readings = (some: Partial<Readings>): Readings => ({
  profile: { name: 'p', host: 'https://w.example.com', method: 'pat', workspaceId: undefined },
  user: known({ id: '7', userName: 'ana@example.com' }),
  override: NONE,
  workspaceDefault: NONE,
  visible: known([one, two]),
  usable: known(new Set(['1', '2'])),
  named: new Map(),
  ...some,
});

const record = (type: string, warehouse_id?: string) =>
  known({ name: 'default-warehouse-overrides/7', type, ...(warehouse_id ? { warehouse_id } : {}) });

describe('explain', () => {
  test('an override that cannot be read leaves everything open, and what would follow is shown', () => {
    const effective = explain(
      readings({ override: unreadable('unavailable'), workspaceDefault: known({ id: '1', readFrom: 'setting' }) }),
    );
    expect(effective).toMatchObject({ warehouse: null, decidedBy: null, certainty: 'unknown' });
    expect(effective.steps.map(({ outcome }) => outcome)).toEqual(['unreadable', 'passed-over', 'passed-over']);
    expect(effective.steps[1]?.reason).toContain('It decides only if you have no override.');
  });

  test('an override of a type that is newer than this decides, and cannot be seen', () => {
    const effective = explain(readings({ override: record('PINNED_BY_POLICY', '1') }));
    expect(effective).toMatchObject({ warehouse: null, decidedBy: 'override', certainty: 'unknown' });
    expect(effective.steps[0]?.reason).toContain('PINNED_BY_POLICY');
  });

  test('a warehouse state that is newer than this is passed on', () => {
    const odd = warehouse('3', { state: 'HIBERNATING' });
    const effective = explain(
      readings({ override: record('CUSTOM', '3'), visible: known([odd]), usable: known(new Set('3')) }),
    );
    expect(effective).toMatchObject({ warehouse: { state: 'HIBERNATING' }, problems: [] });
  });

  test('a default that may only echo the override is not called known', () => {
    const echo = known({ id: '1', readFrom: 'default-id' } as const);
    const [, step] = explain(readings({ override: record('CUSTOM', '1'), workspaceDefault: echo })).steps;
    expect(step).toMatchObject({ source: 'workspace-default', outcome: 'passed-over', certainty: 'predicted' });
  });

  test('a target that this user may not even see counts as not usable', () => {
    const named = new Map([['9', unreadable('permission_denied')]]);
    const effective = explain(readings({ override: record('CUSTOM', '9'), named }));
    expect(effective).toMatchObject({ warehouse: { id: '9', canUse: false }, problems: [{ code: 'cannot-use' }] });
  });

  test('a target that could not be read is not called unusable', () => {
    const named = new Map([['9', unreadable('unavailable')]]);
    const effective = explain(readings({ override: record('CUSTOM', '9'), named }));
    expect(effective).toMatchObject({ warehouse: { id: '9', canUse: 'unknown' }, problems: [] });
  });

  test('where it cannot be read what is usable, nothing is called unusable', () => {
    const effective = explain(readings({ usable: unreadable('unavailable') }));
    expect(effective).toMatchObject({
      warehouse: { id: '2', canUse: 'unknown' },
      certainty: 'predicted',
      problems: [],
    });
  });

  test('without any warehouse nothing is chosen, for certain', () => {
    const effective = explain(readings({ visible: known([]), usable: known(new Set<string>()) }));
    expect(effective).toMatchObject({ warehouse: null, decidedBy: null, certainty: 'known' });
    expect(effective.problems).toMatchObject([{ code: 'no-warehouse' }]);
  });

  test('a user whose name cannot be read still gets an answer', () => {
    const effective = explain(readings({ user: unreadable('permission_denied'), override: record('CUSTOM', '1') }));
    expect(effective).toMatchObject({ user: { id: '7', userName: '', admin: 'unknown' }, warehouse: { id: '1' } });
  });
});
