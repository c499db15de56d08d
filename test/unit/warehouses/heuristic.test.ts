import { describe, expect, it, test } from 'vitest';
import { predictByHeuristic, TIER_REASONS } from '../../../main/warehouses/heuristic.ts';
import type { Warehouse } from '../../../main/workspace/warehouses.ts';
import { isGone } from '../../../preload/contract/words/warehouse.ts';

const ANA = 'ana@example.com';

function warehouse(name: string, state: string, more: Partial<Warehouse> = {}): Warehouse {
  return { id: name, name, state, cluster_size: 'Small', enable_serverless_compute: false, ...more };
}

const choose = (...warehouses: Warehouse[]) => {
  const choice = predictByHeuristic(warehouses, ANA);
  return choice && { name: choice.warehouse.name, tier: choice.tier };
};

/** Each of these is better than all after it, in the order of the specification's tiers. */
const BY_TIER: [tier: number, warehouse: Warehouse][] = [
  [1, warehouse('Shared endpoint', 'RUNNING')],
  [2, warehouse('Team SHARED', 'RUNNING')],
  [3, warehouse('Finance', 'RUNNING')],
  [4, warehouse('shared by all', 'STOPPED')],
  [5, warehouse('Archive', 'STOPPED')],
];

describe('the predicted warehouse', () => {
  test.each(BY_TIER)('is of tier %i when the best one is %j', (tier, best) => {
    const worse = BY_TIER.filter(([other]) => other > tier).map(([, each]) => each);
    const expected = { name: best.name, tier };
    expect(choose(best, ...worse)).toEqual(expected);
    expect(choose(...worse.toReversed(), best)).toEqual(expected);
  });

  it.each(['Shared endpoint', 'dbdemos-shared-endpoint'])('has a well-known name if %j is running', (name) => {
    expect(choose(warehouse('shared', 'RUNNING'), warehouse(name, 'RUNNING'))).toEqual({ name, tier: 1 });
  });

  it('is not a well-known one that is stopped if another one is running', () => {
    expect(choose(warehouse('Shared endpoint', 'STOPPED'), warehouse('Finance', 'RUNNING'))).toEqual({
      name: 'Finance',
      tier: 3,
    });
    expect(choose(warehouse('Shared endpoint', 'STARTING'))).toEqual({ name: 'Shared endpoint', tier: 4 });
  });

  it('does not exist if there is no warehouse', () => {
    expect(choose()).toBeUndefined();
  });

  it.each(['DELETED', 'DELETING'])('is never one that is %s', (state) => {
    expect(isGone(state)).toBe(true);
    expect(choose(warehouse('Shared endpoint', state))).toBeUndefined();
    expect(choose(warehouse('Shared endpoint', state), warehouse('Archive', 'STOPPED'))).toMatchObject({
      name: 'Archive',
    });
  });

  it.each(['RUNNING', 'STARTING', 'STOPPING', 'STOPPED'])('can be one that is %s', (state) => {
    expect(isGone(state)).toBe(false);
    expect(choose(warehouse('Finance', state))).toMatchObject({ name: 'Finance' });
  });
});

describe('within a tier the predicted warehouse', () => {
  const serverless = warehouse('serverless', 'RUNNING', { enable_serverless_compute: true });
  const own = warehouse('own', 'RUNNING', { creator_name: ANA });
  const others = warehouse('others', 'RUNNING', { creator_name: 'ben@example.com' });

  it('is a serverless one, regardless of who created the others', () => {
    expect(choose(own, serverless)?.name).toBe('serverless');
    expect(choose(serverless, own)?.name).toBe('serverless');
  });

  it('is one that the user created, if all or none are serverless', () => {
    expect(choose(others, own)?.name).toBe('own');
    expect(choose(own, others)?.name).toBe('own');
    const both = [others, own].map((each) => ({ ...each, enable_serverless_compute: true }));
    expect(choose(...both)?.name).toBe('own');
  });

  it('is otherwise the first in the workspace’s list', () => {
    expect(choose({ ...own, name: 'first' }, { ...own, name: 'second' })?.name).toBe('first');
    expect(choose({ ...others, name: 'first' }, { ...others, name: 'second' })?.name).toBe('first');
  });

  it('is not serverless if a better tier exists', () => {
    expect(choose(serverless, warehouse('shared', 'RUNNING'))?.name).toBe('shared');
  });
});

test('the reason of each tier says what is known about it', () => {
  expect(BY_TIER.map(([tier]) => TIER_REASONS[tier])).toEqual([
    'running, with a well-known shared name',
    'running, with “shared” in its name',
    'running',
    'not running, with “shared” in its name',
    'not running, and no name contains “shared”',
  ]);
});
