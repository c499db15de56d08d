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

  it('distinguishes changes by the command from changes made elsewhere', () => {
    const note = (at: number, warehouseId: string | null, more: { profile?: string; user?: string } = {}) => {
      const { host, profile } = holding(NONE);
      const to = warehouseId === null ? null : { type: 'CUSTOM', warehouseId };
      return { at, host, profile, user: 'me', to, ...more };
    };
    const first = afterSeeing({ profiles: {} }, holding(pinned('a')), 'elsewhere', 1);
    const newest = (notes: ReturnType<typeof note>[], now = holding(pinned('b')), from = first) =>
      Object.values(afterSeeing(from, now, 'elsewhere', 9, notes).profiles)[0]?.changes[0];
    expect(newest([note(5, 'b')])).toMatchObject({ by: 'command', at: 5 });
    expect(newest([note(5, null)], holding(NONE))).toMatchObject({ by: 'command', after: null });
    expect(newest([])).toMatchObject({ by: 'elsewhere', at: 9 });
    expect(newest([note(5, 'b', { profile: 'another' })])).toMatchObject({ by: 'elsewhere' });
    // By another profile, but under this user's id; and under someone else's.
    expect(newest([note(5, 'b', { profile: 'admin', user: '1' })])).toMatchObject({ by: 'command', at: 5 });
    expect(newest([note(5, 'b', { user: '2' })])).toMatchObject({ by: 'elsewhere' });
    expect(newest([note(6, 'c', { user: '2' }), note(5, 'b')])).toMatchObject({ by: 'command' });
    // Someone has set it back, after the command had changed it twice.
    expect(newest([note(6, 'c'), note(5, 'b')])).toMatchObject({ by: 'elsewhere' });
    const second = afterSeeing(first, holding(NONE), 'here', 7);
    expect(newest([note(5, 'b')], holding(pinned('b')), second)).toMatchObject({ by: 'elsewhere' });
    const own = afterSeeing(first, holding(pinned('b')), 'here', 9, [note(5, 'b')]);
    expect(Object.values(own.profiles)[0]?.changes[0]).toMatchObject({ by: 'here' });
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
