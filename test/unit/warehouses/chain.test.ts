import { describe, expect, test } from 'vitest';
import { CausewayError } from '../../../main/platform/errors.ts';
import { explainEffective } from '../../../main/warehouses/effective.ts';
import type { Reading, Readings } from '../../../main/warehouses/readings.ts';
import { situationOf } from '../../../main/warehouses/seen-warehouse.ts';
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

const ADMIN = known({ id: '7', userName: 'ana@example.com', groups: [{ display: 'admins' }] });

const record = (type: string, warehouse_id?: string) =>
  known({ name: 'default-warehouse-overrides/7', type, ...(warehouse_id ? { warehouse_id } : {}) });

describe('where a query was seen to run', () => {
  const overrides = { known: record('CUSTOM', '1'), unknown: record('LAST_SELECTED') };
  const seenIn = (some: Partial<Readings>, id: string) => {
    const situation = situationOf(explainEffective(readings(some)));
    return { ...some, seen: { id, name: `W ${id}`, at: 5, situation } };
  };

  test('settles what only the workspace knows, and is a note where it is not what is set', () => {
    expect(explainEffective(readings(seenIn({ override: overrides.unknown }, '2')))).toMatchObject({
      warehouse: { id: '2', state: 'RUNNING' },
      certainty: 'seen',
      seen: { id: '2', at: 5 },
      problems: [],
    });
    expect(explainEffective(readings(seenIn({ override: overrides.known }, '1'))).problems).toEqual([]);
    expect(explainEffective(readings(seenIn({ override: overrides.known }, '2')))).toMatchObject({
      warehouse: { id: '1' },
      certainty: 'known',
      problems: [{ code: 'ran-elsewhere', message: 'Your last query ran on W 2, not on W 1.' }],
    });
  });

  test('says nothing once something else is set, or the warehouse is gone', () => {
    const { seen } = seenIn({ override: overrides.unknown }, '2');
    expect(explainEffective(readings({ override: NONE, seen })).seen).toBeNull();
    expect(explainEffective(readings({ override: overrides.known, seen })).seen).toBeNull();
    const gone = { ...seenIn({ override: overrides.unknown }, '9'), named: new Map([['9', NONE]]) };
    expect(explainEffective(readings(gone))).toMatchObject({ warehouse: null, certainty: 'unknown', seen: null });
  });
});

describe('explain', () => {
  test('an override that cannot be read leaves everything open, and shows what would follow', () => {
    const effective = explainEffective(
      readings({ override: unreadable('unavailable'), workspaceDefault: known({ id: '1', readFrom: 'setting' }) }),
    );
    expect(effective).toMatchObject({ warehouse: null, decidedBy: null, certainty: 'unknown' });
    expect(effective.steps.map(({ outcome }) => outcome)).toEqual(['unreadable', 'passed-over', 'passed-over']);
    expect(effective.steps[1]?.reason).toContain('It applies only if you have no override.');
  });

  test('an override of an unknown newer type decides, and its warehouse is unknown', () => {
    const effective = explainEffective(readings({ override: record('PINNED_BY_POLICY', '1') }));
    expect(effective).toMatchObject({ warehouse: null, decidedBy: 'override', certainty: 'unknown' });
    expect(effective.steps[0]?.reason).toContain('PINNED_BY_POLICY');
  });

  test('an unknown newer warehouse state is passed on', () => {
    const odd = warehouse('3', { state: 'HIBERNATING' });
    const effective = explainEffective(
      readings({ override: record('CUSTOM', '3'), visible: known([odd]), usable: known(new Set('3')) }),
    );
    expect(effective).toMatchObject({ warehouse: { state: 'HIBERNATING' }, problems: [] });
  });

  test('a default that may only echo the override is not described as known', () => {
    const echo = known({ id: '1', readFrom: 'default-id' } as const);
    const [, step] = explainEffective(readings({ override: record('CUSTOM', '1'), workspaceDefault: echo })).steps;
    expect(step).toMatchObject({ source: 'workspace-default', outcome: 'passed-over', certainty: 'predicted' });
  });

  test('a target that this user cannot even see counts as unusable', () => {
    const named = new Map([['9', unreadable('permission_denied')]]);
    const effective = explainEffective(readings({ override: record('CUSTOM', '9'), named }));
    expect(effective).toMatchObject({ warehouse: { id: '9', canUse: false }, problems: [{ code: 'cannot-use' }] });
  });

  test('a target that could not be read is not described as unusable', () => {
    const named = new Map([['9', unreadable('unavailable')]]);
    const effective = explainEffective(readings({ override: record('CUSTOM', '9'), named }));
    expect(effective).toMatchObject({ warehouse: { id: '9', canUse: 'unknown' }, problems: [] });
  });

  test('nothing is described as unusable if permissions cannot be read', () => {
    const effective = explainEffective(readings({ usable: unreadable('unavailable') }));
    expect(effective).toMatchObject({
      warehouse: { id: '2', canUse: 'unknown' },
      certainty: 'predicted',
      problems: [],
    });
  });

  test('without any warehouse, certainly none is chosen', () => {
    const effective = explainEffective(readings({ visible: known([]), usable: known(new Set<string>()) }));
    expect(effective).toMatchObject({ warehouse: null, decidedBy: null, certainty: 'known' });
    expect(effective.problems).toMatchObject([{ code: 'no-warehouse' }]);
  });

  test('a user whose name cannot be read still gets an answer', () => {
    const effective = explainEffective(
      readings({ user: unreadable('permission_denied'), override: record('CUSTOM', '1') }),
    );
    expect(effective).toMatchObject({ user: { id: '7', userName: '', admin: 'unknown' }, warehouse: { id: '1' } });
  });

  test('an override that names a warehouse decides, and every later step is skipped because of it', () => {
    const effective = explainEffective(
      readings({ override: record('CUSTOM', '1'), workspaceDefault: known({ id: '2', readFrom: 'setting' }) }),
    );
    expect(effective).toMatchObject({
      profile: 'p',
      host: 'https://w.example.com',
      warehouse: { id: '1' },
      decidedBy: 'override',
      certainty: 'known',
      override: { type: 'CUSTOM', warehouseId: '1' },
      problems: [],
    });
    expect(effective.steps).toMatchObject([
      { source: 'override', outcome: 'decides', reason: 'Your override is W 1.' },
      {
        source: 'workspace-default',
        outcome: 'passed-over',
        certainty: 'known',
        warehouse: { id: '2' },
        reason: 'The workspace default is W 2. Not used: your override takes precedence.',
      },
      {
        source: 'heuristic',
        outcome: 'passed-over',
        tier: 3,
        reason: 'Predicted: W 2, running. Not used: your override takes precedence.',
      },
    ]);
  });

  test('the workspace default decides if there is no override', () => {
    const effective = explainEffective(readings({ workspaceDefault: known({ id: '1', readFrom: 'default-id' }) }));
    expect(effective).toMatchObject({
      warehouse: { id: '1' },
      decidedBy: 'workspace-default',
      certainty: 'known',
      override: null,
    });
    expect(effective.steps).toMatchObject([
      { outcome: 'empty', certainty: 'known', warehouse: null, reason: 'You have no override.' },
      { outcome: 'decides', reason: 'The workspace default is W 1.' },
      {
        outcome: 'passed-over',
        reason: expect.stringMatching(/ Not used: the workspace default takes precedence\.$/),
      },
    ]);
  });

  test('a default that was read from the setting is known even beside an override', () => {
    const setting = known({ id: '1', readFrom: 'setting' } as const);
    const [, step] = explainEffective(readings({ override: record('CUSTOM', '2'), workspaceDefault: setting })).steps;
    expect(step).toMatchObject({ certainty: 'known', warehouse: { id: '1' } });
  });

  test('a default that is gone decides, and only its id can be named', () => {
    const named = new Map([['9', NONE]]);
    const effective = explainEffective(readings({ workspaceDefault: known({ id: '9', readFrom: 'setting' }), named }));
    expect(effective).toMatchObject({ warehouse: null, decidedBy: 'workspace-default' });
    expect(effective.steps[1]?.reason).toBe('The workspace default is 9.');
    expect(effective.problems).not.toEqual([]);
  });

  test('an override whose warehouse is gone decides, and is named by its id', () => {
    const named = new Map([['9', NONE]]);
    const effective = explainEffective(readings({ override: record('CUSTOM', '9'), named }));
    expect(effective).toMatchObject({ warehouse: null, decidedBy: 'override', certainty: 'known' });
    expect(effective.steps[0]).toMatchObject({ warehouse: null, reason: 'Your override is 9.' });
    expect(effective.problems).not.toEqual([]);
  });

  test('the heuristic predicts if there is no override and no default', () => {
    const effective = explainEffective(readings({}));
    expect(effective).toMatchObject({ warehouse: { id: '2' }, decidedBy: 'heuristic', certainty: 'predicted' });
    expect(effective.steps).toMatchObject([
      { source: 'override', reason: 'You have no override.' },
      { source: 'workspace-default', outcome: 'empty', reason: 'The workspace has no default warehouse.' },
      { source: 'heuristic', outcome: 'decides', tier: 3, reason: 'Predicted: W 2, running.' },
    ]);
  });

  test('the heuristic chooses only among the warehouses that the user can use', () => {
    expect(explainEffective(readings({ usable: known(new Set(['1'])) }))).toMatchObject({ warehouse: { id: '1' } });
    const none = explainEffective(readings({ usable: known(new Set<string>()) }));
    expect(none).toMatchObject({ warehouse: null, certainty: 'known' });
    expect(none.steps[2]).toMatchObject({ outcome: 'empty', reason: 'No warehouse is available to you.' });
  });

  test('the heuristic prefers the user’s own warehouse, and no one’s if the user is unknown', () => {
    const visible = known([warehouse('1'), warehouse('2', { creator_name: 'ana@example.com' })]);
    expect(explainEffective(readings({ visible })).warehouse?.id).toBe('2');
    expect(explainEffective(readings({ visible, user: unreadable('unavailable') })).warehouse?.id).toBe('1');
  });

  test('a default that cannot be read leaves the heuristic’s choice open', () => {
    const effective = explainEffective(readings({ workspaceDefault: unreadable('unavailable') }));
    expect(effective).toMatchObject({ warehouse: { id: '2' }, decidedBy: 'heuristic', certainty: 'predicted' });
    expect(effective.steps[1]).toMatchObject({
      source: 'workspace-default',
      outcome: 'unreadable',
      certainty: 'unknown',
      warehouse: null,
      reason: 'The workspace default could not be read. It failed.',
    });
    expect(effective.steps[2]?.reason).toBe('Predicted: W 2, running. A workspace default would take precedence.');
  });

  test('warehouses that cannot be listed leave the choice open', () => {
    const effective = explainEffective(readings({ visible: unreadable('unavailable') }));
    expect(effective).toMatchObject({ warehouse: null, decidedBy: null, certainty: 'unknown', problems: [] });
    expect(effective.steps[2]).toEqual({
      source: 'heuristic',
      outcome: 'unreadable',
      certainty: 'unknown',
      warehouse: null,
      reason: 'The warehouses could not be listed.',
    });
  });

  test('a workspace without overrides falls back to its default, and its missing API is reported', () => {
    const effective = explainEffective(
      readings({
        override: unreadable('feature_unavailable'),
        workspaceDefault: known({ id: '1', readFrom: 'setting' }),
      }),
    );
    expect(effective).toMatchObject({ warehouse: { id: '1' }, decidedBy: 'workspace-default', certainty: 'known' });
    expect(effective.steps[0]).toMatchObject({
      outcome: 'empty',
      certainty: 'known',
      reason: 'This workspace does not support overrides.',
    });
    expect(effective.problems).not.toEqual([]);
    expect(explainEffective(readings({ override: unreadable('unavailable') })).problems).toEqual([]);
  });

  test('an override that could not be read says why', () => {
    const [step] = explainEffective(readings({ override: unreadable('unavailable') })).steps;
    expect(step).toMatchObject({
      source: 'override',
      certainty: 'unknown',
      warehouse: null,
      reason: 'Your override could not be read. It failed.',
    });
  });

  test.each([
    ['LAST_SELECTED', undefined, 'Only the workspace knows which one'],
    ['LAST_SELECTED', '1', 'Only the workspace knows which one'],
    ['CUSTOM', undefined, 'has the type CUSTOM. This version of Causeway does not support it'],
  ])('an override of the type %s with the warehouse %s decides, without a known warehouse', (type, id, said) => {
    const effective = explainEffective(readings({ override: record(type, id) }));
    expect(effective).toMatchObject({
      warehouse: null,
      decidedBy: 'override',
      certainty: 'unknown',
      override: { type, warehouseId: id ?? null },
    });
    expect(effective.steps[0]?.reason).toContain(said);
  });

  test('a user is shown by display name, or by user name if there is none', () => {
    const named = known({ id: '7', userName: 'ana@example.com', displayName: 'Ana' });
    expect(explainEffective(readings({ user: named })).user).toMatchObject({ id: '7', displayName: 'Ana' });
    expect(explainEffective(readings({})).user).toMatchObject({
      userName: 'ana@example.com',
      displayName: 'ana@example.com',
    });
  });

  test('nothing is made up about a user who cannot be read', () => {
    expect(explainEffective(readings({ user: unreadable('unavailable') })).user).toEqual({
      id: '',
      userName: '',
      displayName: '',
      admin: 'unknown',
    });
  });

  test('no missing warehouse is reported if the user can use one', () => {
    expect(explainEffective(readings({})).problems).toEqual([]);
    expect(explainEffective(readings({ visible: unreadable('unavailable'), usable: NONE })).problems).toEqual([]);
  });
});

describe('a problem that is found in advance', () => {
  const ofOverride = 'Choose another warehouse or use the workspace default.';
  const ofDefault = 'Choose your own warehouse, or ask a workspace admin to change the default.';
  const inState = (state: string): Partial<Readings> => ({ visible: known([warehouse('3', { state })]) });
  const gone: Partial<Readings> = { named: new Map([['3', NONE]]) };
  const custom: Partial<Readings> = { override: record('CUSTOM', '3'), usable: known(new Set(['3'])) };
  const byDefault: Partial<Readings> = {
    workspaceDefault: known({ id: '3', readFrom: 'setting' }),
    usable: known(new Set(['3'])),
  };

  test.each<[string, Partial<Readings>, string, string, string]>([
    [
      'a workspace without overrides',
      { override: unreadable('feature_unavailable') },
      'override-api-missing',
      'This workspace does not support warehouse overrides.',
      'Ask a workspace admin to change the workspace default instead.',
    ],
    [
      'an override whose warehouse only the workspace knows',
      { override: record('LAST_SELECTED') },
      'last-selected-unseen',
      'Your last selected warehouse cannot be read from outside the workspace.',
      'Choose a warehouse by name to be certain.',
    ],
    [
      'no usable warehouse',
      { visible: known([]) },
      'no-warehouse',
      'No warehouse is available to you. Queries will fail.',
      'Ask a workspace admin for CAN USE on a warehouse.',
    ],
    [
      'an override that names a warehouse that is gone',
      { ...custom, ...gone, user: ADMIN },
      'warehouse-gone',
      'Warehouse 3 no longer exists. Queries will fail.',
      ofOverride,
    ],
    [
      'an override whose warehouse is not there for a user who is not an admin',
      { ...custom, ...gone },
      'warehouse-unseen',
      'Warehouse 3 no longer exists, or you cannot see it. Queries will fail.',
      ofOverride,
    ],
    [
      'a default that is gone',
      { ...byDefault, ...gone, user: ADMIN },
      'warehouse-gone',
      'Warehouse 3 no longer exists. Queries will fail.',
      ofDefault,
    ],
    [
      'a warehouse that has been deleted',
      { ...custom, ...inState('DELETED') },
      'warehouse-gone',
      'W 3 was deleted. Queries will fail.',
      ofOverride,
    ],
    [
      'a warehouse that is being deleted',
      { ...byDefault, ...inState('DELETING') },
      'deleting',
      'W 3 is being deleted. Queries will fail.',
      ofDefault,
    ],
    [
      'a warehouse that the user cannot use',
      { ...custom, ...inState('RUNNING'), usable: known(new Set<string>()) },
      'cannot-use',
      'You do not have CAN USE on W 3. Queries will fail.',
      `Ask a workspace admin for CAN USE on it. ${ofOverride}`,
    ],
  ])('with %s names what fails and what to do', (_what, some, code, message, remedy) => {
    expect(explainEffective(readings(some)).problems).toEqual([{ code, message, remedy }]);
  });

  test('is not reported for a warehouse if another step decides', () => {
    const last = { ...byDefault, ...inState('DELETED'), override: record('LAST_SELECTED') };
    expect(explainEffective(readings(last)).problems).toMatchObject([{ code: 'last-selected-unseen' }]);
  });

  test('is not reported if the deciding step is unknown', () => {
    const some = { visible: known([]), workspaceDefault: unreadable('unavailable') };
    expect(explainEffective(readings(some)).problems).toEqual([]);
  });
});
