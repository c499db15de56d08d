import { describe, expect, it } from 'vitest';
import type { User, Warehouse } from '../model.ts';
import { createState, type StateOptions } from '../state.ts';
import { chooseWarehouse, fiveTiers, type Heuristic } from './warehouse-choice.ts';

const USER: User = {
  id: '9007199254740993002',
  userName: 'ben@example.com',
  displayName: 'Ben',
  admin: false,
  groups: ['users'],
  active: true,
  servicePrincipal: false,
};

function warehouse(id: string, more: Partial<Warehouse> = {}): Warehouse {
  return {
    id,
    name: id,
    state: 'RUNNING',
    clusterSize: 'Small',
    serverless: false,
    creatorName: 'somebody@example.com',
    autoStopMinutes: 10,
    canUse: new Set(['users']),
    ...more,
  };
}

/** A world in which every rule could decide, each for its own warehouse. */
const ALL: StateOptions = {
  users: [USER],
  warehouses: ['asked', 'mine', 'last', 'default', 'shared'].map((id) => warehouse(id)),
  overrides: [{ userId: USER.id, type: 'CUSTOM', warehouseId: 'mine' }],
  lastSelected: { [USER.id]: 'last' },
  workspaceDefaultWarehouseId: 'default',
};

const LAST_SELECTED: StateOptions = {
  ...ALL,
  overrides: [{ userId: USER.id, type: 'LAST_SELECTED', warehouseId: undefined }],
};

describe('the choice of a warehouse', () => {
  it.each<[string, StateOptions, string | undefined, unknown]>([
    ['a warehouse in the request', ALL, 'asked', { source: 'request', warehouseId: 'asked' }],
    ['then the override', ALL, undefined, { source: 'override', type: 'CUSTOM', warehouseId: 'mine' }],
    [
      'an override of the last selected',
      LAST_SELECTED,
      undefined,
      { source: 'override', type: 'LAST_SELECTED', warehouseId: 'last' },
    ],
    [
      'which is skipped if nothing was ever selected',
      { ...LAST_SELECTED, lastSelected: {} },
      undefined,
      { source: 'workspace-default', warehouseId: 'default' },
    ],
    [
      'then the workspace default',
      { ...ALL, overrides: [] },
      undefined,
      { source: 'workspace-default', warehouseId: 'default' },
    ],
    [
      'another user’s override decides nothing',
      { ...ALL, overrides: [{ userId: '8241', type: 'CUSTOM', warehouseId: 'mine' }] },
      undefined,
      { source: 'workspace-default', warehouseId: 'default' },
    ],
    [
      'then the heuristic',
      { ...ALL, overrides: [], workspaceDefaultWarehouseId: undefined },
      undefined,
      { source: 'heuristic', tier: 3, warehouseId: 'shared' },
    ],
    [
      'and nothing if there is nothing to use',
      { users: [USER], warehouses: [], workspaceDefaultWarehouseId: undefined },
      undefined,
      { source: 'none' },
    ],
  ])('follows its order: %s', (_, options, asked, expected) => {
    expect(chooseWarehouse(createState(options), USER, asked)).toEqual(expected);
  });

  it.each<[string, Partial<Warehouse>]>([
    ['deleted', { state: 'DELETED' }],
    ['being deleted', { state: 'DELETING' }],
    ['not for this user', { canUse: new Set() }],
  ])('never skips a named warehouse, even if it is %s', (_, change) => {
    const warehouses = [warehouse('good'), warehouse('bad', change)];
    const overrides = [{ userId: USER.id, type: 'CUSTOM' as const, warehouseId: 'bad' }];
    const byOverride = createState({ users: [USER], warehouses, overrides });
    expect(chooseWarehouse(byOverride, USER)).toMatchObject({ source: 'override', warehouseId: 'bad' });
    const byDefault = createState({ users: [USER], warehouses, workspaceDefaultWarehouseId: 'bad' });
    expect(chooseWarehouse(byDefault, USER)).toMatchObject({ source: 'workspace-default', warehouseId: 'bad' });
  });
});

const stopped = { state: 'STOPPED' } as const;

describe('the choice of a warehouse by the rules that the specification names', () => {
  it.each<[string, Warehouse[], string]>([
    [
      'any running one before any stopped one',
      [warehouse('a', { ...stopped, name: 'shared', serverless: true }), warehouse('b')],
      'b',
    ],
    ['serverless before shared', [warehouse('a', { name: 'shared' }), warehouse('b', { serverless: true })], 'b'],
    ['then shared', [warehouse('a'), warehouse('b', { name: 'Team SHARED' })], 'b'],
    ['then the first listed, whoever made it', [warehouse('a'), warehouse('b', { creatorName: USER.userName })], 'a'],
    ['no one that is deleted', [warehouse('a', { state: 'DELETED' }), warehouse('b', stopped)], 'b'],
    ['no one that the user cannot use', [warehouse('a', { canUse: new Set() }), warehouse('b', stopped)], 'b'],
  ])('follows their order: %s', (_, warehouses, warehouseId) => {
    const state = createState({ users: [USER], warehouses, workspaceDefaultWarehouseId: undefined });
    expect(chooseWarehouse(state, USER)).toMatchObject({ source: 'heuristic', warehouseId });
  });
});

describe('the choice of a warehouse by the five tiers', () => {
  it.each<[string, Warehouse[], string, number]>([
    [
      '1: running under a well-known name',
      [warehouse('a', { name: 'Shared things' }), warehouse('b', { name: 'Shared endpoint' })],
      'b',
      1,
    ],
    ['1: the other well-known name', [warehouse('a'), warehouse('b', { name: 'dbdemos-shared-endpoint' })], 'b', 1],
    [
      '2: a well-known name in another case is only shared',
      [warehouse('a'), warehouse('b', { name: 'SHARED ENDPOINT' })],
      'b',
      2,
    ],
    [
      '2: running and shared, in any case',
      [warehouse('a', { serverless: true }), warehouse('b', { name: 'Team SHARED' })],
      'b',
      2,
    ],
    [
      '3: any running one, before any stopped one',
      [warehouse('a', { ...stopped, name: 'shared', serverless: true }), warehouse('b')],
      'b',
      3,
    ],
    ['4: shared, not running', [warehouse('a', stopped), warehouse('b', { ...stopped, name: 'shared' })], 'b', 4],
    ['5: any, not running', [warehouse('a', { state: 'STOPPING' }), warehouse('b', { state: 'STARTING' })], 'a', 5],
    ['within a tier, serverless is first', [warehouse('a'), warehouse('b', { serverless: true })], 'b', 3],
    [
      'serverless comes before one’s own',
      [warehouse('a', { creatorName: USER.userName }), warehouse('b', { serverless: true })],
      'b',
      3,
    ],
    ['then one’s own', [warehouse('a'), warehouse('b', { creatorName: USER.userName })], 'b', 3],
    ['then the first listed', [warehouse('b'), warehouse('a')], 'b', 3],
    [
      'a warehouse that the user cannot use does not count',
      [warehouse('a', { name: 'Shared endpoint', canUse: new Set(['finance']) }), warehouse('b', stopped)],
      'b',
      5,
    ],
    [
      'nor does one that is deleted or being deleted',
      [warehouse('a', { state: 'DELETED' }), warehouse('b', { state: 'DELETING' }), warehouse('c', stopped)],
      'c',
      5,
    ],
  ])('follows its order: %s', (_, warehouses, warehouseId, tier) => {
    const state = createState({ users: [USER], warehouses, workspaceDefaultWarehouseId: undefined });
    expect(chooseWarehouse(state, USER, undefined, fiveTiers)).toEqual({ source: 'heuristic', warehouseId, tier });
  });

  it('yields to another heuristic, which sees only what the user can use', () => {
    const last: Heuristic = (usable) => ({ warehouseId: usable.at(-1)?.id ?? '', tier: 1 });
    const warehouses = [warehouse('a'), warehouse('b'), warehouse('c', { canUse: new Set() })];
    const state = createState({ users: [USER], warehouses, workspaceDefaultWarehouseId: undefined });
    expect(chooseWarehouse(state, USER, undefined, last)).toEqual({ source: 'heuristic', warehouseId: 'b', tier: 1 });
  });
});
