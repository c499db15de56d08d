import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/app/causeway.ts';
import type { EffectiveWarehouse } from '../../../main/warehouses/effective.ts';
import { chooseWarehouse, fiveTiers, type Heuristic, isThere } from '../../workspace/mcp/warehouse-choice.ts';
import type { Override, User, Warehouse } from '../../workspace/model.ts';
import { type CommandLine, openCommandLine, USERS } from './harness.ts';

/** What is predicted for a user against what the embedded workspace's SQL server picks, over random workspaces. */

const SEED = 20_261_121;
const WORLDS = 500;

interface World {
  profile: 'ana' | 'ben';
  warehouses: Warehouse[];
  override: { type: 'CUSTOM' | 'LAST_SELECTED'; target: number } | undefined;
  lastSelected: number | undefined;
  byDefault: number | undefined;
  features: { overrides: boolean; defaultWarehouse: boolean; defaultWarehouseSetting: boolean; scimGroups: boolean };
}

const warehouse = fc.record({
  name: fc.constantFrom(
    'Shared endpoint',
    'dbdemos-shared-endpoint',
    'team shared',
    'SHARED-2',
    'Starter',
    'Data',
    'x',
  ),
  state: fc.constantFrom('STARTING', 'RUNNING', 'STOPPING', 'STOPPED', 'DELETING', 'DELETED'),
  clusterSize: fc.constantFrom('2X-Small', 'Medium'),
  serverless: fc.boolean(),
  creatorName: fc.constantFrom('ana@example.com', 'ben@example.com', 'chloe@example.com'),
  autoStopMinutes: fc.constant(10),
  canUse: fc.subarray(['users', 'analysts', 'finance', 'ben@example.com']).map((names) => new Set(names)),
});

const index = fc.option(fc.nat({ max: 7 }), { nil: undefined, freq: 2 });

const world: fc.Arbitrary<World> = fc.record({
  profile: fc.constantFrom('ana', 'ben'),
  warehouses: fc
    .array(warehouse, { maxLength: 8 })
    .map((all) => all.map((one, at) => ({ ...one, id: `${at}`.padStart(16, '0') }))),
  override: fc.option(
    fc.record({ type: fc.constantFrom('CUSTOM', 'CUSTOM', 'LAST_SELECTED'), target: fc.nat({ max: 9 }) }),
    { nil: undefined, freq: 2 },
  ),
  lastSelected: index,
  byDefault: index,
  features: fc.record({
    overrides: fc.constant(true),
    defaultWarehouse: fc.boolean(),
    defaultWarehouseSetting: fc.boolean(),
    scimGroups: fc.boolean(),
  }),
});

let cli: CommandLine;
let causeway: Causeway;
beforeAll(async () => {
  cli = await openCommandLine();
  causeway = createCauseway({ env: { DATABRICKS_CONFIG_FILE: cli.workspace.profileFile } });
});
afterAll(async () => {
  await causeway.close();
  await cli[Symbol.asyncDispose]();
});

/** Puts a world in place, and gives who asks. */
function enter({ profile, warehouses, override, lastSelected, byDefault, features }: World): User {
  const { state } = cli.workspace;
  const userId = USERS[profile];
  const idAt = (at: number) => `${at}`.padStart(16, '0');
  const overrides: Override[] = override
    ? [{ userId, type: override.type, warehouseId: override.type === 'CUSTOM' ? idAt(override.target) : undefined }]
    : [];
  state.replace({
    warehouses,
    overrides,
    lastSelected: lastSelected === undefined ? {} : { [userId]: idAt(lastSelected) },
    workspaceDefaultWarehouseId: byDefault === undefined ? undefined : idAt(byDefault),
    startupMs: 0,
  });
  Object.assign(cli.workspace.features, features);
  const user = state.users.find(({ id }) => id === userId);
  if (!user) throw new Error('the fixture has lost a user');
  return user;
}

async function predict({ profile }: World): Promise<EffectiveWarehouse> {
  return (await causeway.open(profile)).warehouses.effective();
}

/** Whether a query of this user on this warehouse can run. */
function willRun(user: User, id: string): boolean {
  const chosen = cli.workspace.state.warehouses.find((candidate) => candidate.id === id);
  return chosen !== undefined && isThere(chosen) && cli.workspace.state.mayUse(user, chosen);
}

function check(one: World, user: User, effective: EffectiveWarehouse, heuristic: Heuristic): void {
  const choice = chooseWarehouse(cli.workspace.state, user, undefined, heuristic);
  const decided = effective.warehouse?.id;
  if (one.override?.type === 'LAST_SELECTED') {
    expect(effective).toMatchObject({ decidedBy: 'override', certainty: 'unknown', warehouse: null });
    return;
  }
  const defaultStep = effective.steps[1];
  if (choice.source === 'workspace-default' && defaultStep?.outcome === 'unreadable') {
    // Nothing that this user may read names the default: what is left is a prediction, and called one.
    expect(effective.certainty).not.toBe('known');
    return;
  }
  if (choice.source === 'none') {
    expect(decided).toBeUndefined();
    return;
  }
  if (choice.source === 'heuristic') {
    expect(effective).toMatchObject({ decidedBy: 'heuristic', certainty: 'predicted' });
    if (heuristic === fiveTiers)
      expect(effective.steps[2]).toMatchObject({ tier: choice.tier, warehouse: { id: decided } });
  } else {
    expect(effective).toMatchObject({ decidedBy: choice.source, certainty: 'known' });
  }
  const gone = effective.problems.some(({ code }) => code === 'warehouse-gone' || code === 'warehouse-unseen');
  if (decided === undefined) expect(gone).toBe(true);
  else if ('warehouseId' in choice && (choice.source !== 'heuristic' || heuristic === fiveTiers)) {
    expect(decided).toBe(choice.warehouseId);
    expect(effective.problems.length === 0).toBe(willRun(user, choice.warehouseId));
  }
}

describe('the predicted warehouse', () => {
  test(`is the one that the SQL server picks, in ${WORLDS} random workspaces`, { timeout: 120_000 }, async () => {
    const decisions = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(world, async (one) => {
        const user = enter(one);
        const effective = await predict(one);
        check(one, user, effective, fiveTiers);
        const decision = `${effective.decidedBy} ${effective.certainty}`;
        decisions.set(decision, (decisions.get(decision) ?? 0) + 1);
      }),
      { numRuns: WORLDS, seed: SEED },
    );
    // Not vacuous: every way of deciding has come up many times.
    for (const decision of ['override known', 'workspace-default known', 'heuristic predicted', 'override unknown']) {
      expect(decisions.get(decision) ?? 0, decision).toBeGreaterThan(WORLDS / 20);
    }
  });

  test('is the one that a real query runs on, and predicts whether it will run', async () => {
    const SETTLED: Partial<Record<Warehouse['state'], Warehouse['state']>> = {
      STARTING: 'RUNNING',
      STOPPING: 'STOPPED',
    };
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(world, async (one) => {
        // A world that is put in place has no transition under way: nothing would ever end it.
        const warehouses = one.warehouses.map((each) => ({ ...each, state: SETTLED[each.state] ?? each.state }));
        enter({ ...one, warehouses, features: { ...one.features, defaultWarehouse: true } });
        const { warehouse: predicted, decidedBy, problems, steps } = await predict(one);
        if (predicted === null || (decidedBy === 'heuristic' && steps[1]?.outcome === 'unreadable')) return;
        const { warehouseId, state } = await cli.query(one.profile);
        expect(warehouseId).toBe(predicted.id);
        expect(state).toBe(problems.length === 0 ? 'SUCCEEDED' : 'FAILED');
        sent += 1;
      }),
      { numRuns: 60, seed: SEED },
    );
    expect(sent).toBeGreaterThan(15);
  });

  test('is never described as known if the server chooses by other rules', async () => {
    const contrary: Heuristic = (usable) => {
      const last = usable.at(-1);
      return last && { warehouseId: last.id, tier: 1 };
    };
    cli.workspace.mcp.settings.heuristic = contrary;
    let differed = 0;
    await fc.assert(
      fc.asyncProperty(world, async (one) => {
        const user = enter({ ...one, override: undefined, byDefault: undefined });
        const effective = await predict(one);
        check({ ...one, override: undefined }, user, effective, contrary);
        if (effective.warehouse === null) return;
        expect(effective.certainty).toBe('predicted');
        const choice = chooseWarehouse(cli.workspace.state, user, undefined, contrary);
        if ('warehouseId' in choice && choice.warehouseId !== effective.warehouse.id) differed += 1;
      }),
      { numRuns: 100, seed: SEED },
    );
    expect(differed).toBeGreaterThan(10);
    cli.workspace.mcp.settings.heuristic = fiveTiers;
  });
});
