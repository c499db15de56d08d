import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { afterSeeing, OverrideHistory } from '../../../main/desktop/warehouse/override-history.ts';
import type { EffectiveWarehouseInfo } from '../../../preload/contract.ts';
import { effective } from './states.ts';

const NONE: EffectiveWarehouseInfo['override'] = null;
const LAST: EffectiveWarehouseInfo['override'] = { type: 'LAST_SELECTED', warehouseId: null };
const pinned = (warehouseId: string): EffectiveWarehouseInfo['override'] => ({ type: 'CUSTOM', warehouseId });
const holding = (override: EffectiveWarehouseInfo['override'], more: Partial<EffectiveWarehouseInfo> = {}) =>
  effective({ override, ...more });

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'causeway-history-'));
});
afterEach(() => rm(home, { recursive: true }));

describe('the history of changes', () => {
  it('starts with the current state, which is not a change, and continues with each change, newest first', async () => {
    let now = 0;
    const told: string[] = [];
    const history = new OverrideHistory(
      { CAUSEWAY_HOME: home },
      (profile) => told.push(profile),
      () => ++now,
    );
    const { profile } = holding(NONE);
    await history.saw(holding(pinned('a')), 'elsewhere');
    expect(await history.of(profile)).toEqual([]);
    await history.saw(holding(pinned('a')), 'here');
    await history.saw(holding(pinned('b')), 'here');
    await history.saw(holding(NONE), 'elsewhere');
    expect(await history.of(profile)).toMatchObject([
      { by: 'elsewhere', before: { warehouseId: 'b' }, after: null },
      { by: 'here', before: { warehouseId: 'a' }, after: { warehouseId: 'b' } },
    ]);
    expect(told).toHaveLength(3);
    const later = new OverrideHistory({ CAUSEWAY_HOME: home }, () => undefined);
    expect(await later.of(profile)).toHaveLength(2);
  });

  it('includes a change that was made while the application was not running', async () => {
    const { profile } = holding(NONE);
    await new OverrideHistory({ CAUSEWAY_HOME: home }, () => undefined).saw(holding(pinned('a')), 'elsewhere');
    const later = new OverrideHistory({ CAUSEWAY_HOME: home }, () => undefined);
    await later.saw(holding(LAST), 'elsewhere');
    expect(await later.of(profile)).toMatchObject([{ before: { warehouseId: 'a' }, after: { type: 'LAST_SELECTED' } }]);
  });

  it('lasts as long as the application runs if it cannot be written', async () => {
    const file = join(home, 'a-file');
    await writeFile(file, '');
    const history = new OverrideHistory({ CAUSEWAY_HOME: file }, () => undefined);
    await history.saw(holding(pinned('a')), 'elsewhere');
    await history.saw(holding(pinned('b')), 'here');
    expect(await history.of(holding(NONE).profile)).toHaveLength(1);
  });

  it('restarts if the profile leads to another workspace or another user', () => {
    const first = afterSeeing({ profiles: {} }, holding(pinned('a')), 'here', 1);
    const second = afterSeeing(first, holding(pinned('b'), { host: 'https://other.example.com' }), 'here', 2);
    expect(Object.values(second.profiles)[0]?.changes).toEqual([]);
  });

  it('learns nothing from an override that could not be read', () => {
    const known = afterSeeing({ profiles: {} }, holding(pinned('a')), 'here', 1);
    const steps = effective().steps.map((step) => ({ ...step, outcome: 'unreadable' as const }));
    expect(afterSeeing(known, holding(NONE, { steps }), 'elsewhere', 2)).toBe(known);
  });

  it('is bounded', () => {
    let stored = afterSeeing({ profiles: {} }, holding(NONE), 'here', 0);
    for (let at = 1; at <= 100; at += 1) stored = afterSeeing(stored, holding(pinned(String(at))), 'here', at);
    const { changes = [] } = Object.values(stored.profiles)[0] ?? {};
    expect(changes).toHaveLength(20);
    expect(changes[0]).toMatchObject({ at: 100, after: { warehouseId: '100' } });
    for (let at = 0; at < 60; at += 1) {
      stored = afterSeeing(stored, holding(NONE, { profile: `profile-${at}` }), 'here', at);
    }
    expect(Object.keys(stored.profiles)).toHaveLength(50);
    expect(stored.profiles['profile-59']).toBeDefined();
  });
});
