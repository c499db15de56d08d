import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/app/causeway.ts';
import type { Warehouse } from '../../workspace/model.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';

/** The rules of the Databricks CLI's own lookup, one by one. */

const BEN = '9007199254740993002';
const SHARED = '8baced1ff014912d';
const STARTER = '3f0c8a1d5e7b2946';

let workspace: EmbeddedWorkspace;
let causeway: Causeway;
beforeEach(async () => {
  workspace = await startWorkspace();
  causeway = createCauseway({ env: { DATABRICKS_CONFIG_FILE: workspace.profileFile } });
});
afterEach(async () => {
  await causeway.close();
  await workspace.close();
});

const lookUp = async () => (await causeway.open('ben')).warehouses.cliDefault();
const give = (type: 'CUSTOM' | 'LAST_SELECTED', warehouseId: string | undefined) =>
  workspace.state.overrides.set(BEN, { userId: BEN, type, warehouseId });

function warehouse(name: string, state: Warehouse['state'], canUse = 'users'): Warehouse {
  const id = Buffer.from(name).toString('hex').padEnd(16, '0');
  const rest = { clusterSize: 'Small', serverless: true, creatorName: 'ana@example.com', autoStopMinutes: 10 };
  return { id, name, state, canUse: new Set([canUse]), ...rest };
}

describe('get-default-warehouse', () => {
  test('DATABRICKS_WAREHOUSE_ID comes before everything', async () => {
    const env = { DATABRICKS_CONFIG_FILE: workspace.profileFile, DATABRICKS_WAREHOUSE_ID: SHARED };
    const other = createCauseway({ env });
    expect(await (await other.open('ben')).warehouses.cliDefault()).toMatchObject({ id: SHARED, rule: 'environment' });
    await other.close();
  });

  test('DATABRICKS_WAREHOUSE_ID must exist', async () => {
    const env = { DATABRICKS_CONFIG_FILE: workspace.profileFile, DATABRICKS_WAREHOUSE_ID: 'nowhere' };
    const other = createCauseway({ env });
    await expect((await other.open('ben')).warehouses.cliDefault()).rejects.toMatchObject({ code: 'not_found' });
    await other.close();
  });

  test('a CUSTOM override decides next', async () => {
    give('CUSTOM', SHARED);
    expect(await lookUp()).toEqual({ id: SHARED, name: 'Shared analytics', state: 'RUNNING', rule: 'override' });
  });

  test('LAST_SELECTED is skipped', async () => {
    give('LAST_SELECTED', undefined);
    workspace.state.lastSelected.set(BEN, SHARED);
    expect(await lookUp()).toMatchObject({ id: STARTER, rule: 'workspace-default' });
  });

  test.each(['e93a7d52c0b614f8', 'f46b21c98d0e5a73', 'nowhere'])(
    'an override whose target is gone is skipped: %s',
    async (id) => {
      give('CUSTOM', id);
      expect(await lookUp()).toMatchObject({ rule: 'workspace-default' });
    },
  );

  test('an override that cannot be read is skipped', async () => {
    workspace.features.overrides = false;
    expect(await lookUp()).toMatchObject({ rule: 'workspace-default' });
  });

  test('a workspace default that is refused is skipped; one that fails is not', async () => {
    workspace.features.defaultWarehouse = false;
    expect(await lookUp()).toMatchObject({ rule: 'first-usable' });
    workspace.features.defaultWarehouse = true;
    workspace.faults.add({ effect: { kind: 'html', status: 500 }, path: '/api/2.0/sql/warehouses/default' });
    await expect(lookUp()).rejects.toMatchObject({ status: 500 });
  });

  test.each([
    [
      'running before starting before stopped before stopping',
      ['d STOPPING', 'c STOPPED', 'b STARTING', 'z RUNNING'],
      'z',
    ],
    ['by name without regard to case', ['b RUNNING', 'C RUNNING', 'A RUNNING'], 'A'],
    ['nothing that is gone', ['a DELETING', 'b DELETED', 'c STOPPING'], 'c'],
    ['no "shared" first, no serverless first', ['shared RUNNING', 'a RUNNING'], 'a'],
  ])('the first usable warehouse is chosen: %s', async (_rule, world, expected) => {
    // The Databricks CLI reads one page.
    workspace.behaviors.delete('smallPages');
    const warehouses = world.map((entry) => {
      const [name = '', state] = entry.split(' ');
      return warehouse(name, state as Warehouse['state']);
    });
    workspace.state.replace({ workspaceDefaultWarehouseId: undefined, warehouses });
    expect(await lookUp()).toMatchObject({ name: expected, rule: 'first-usable' });
  });

  test('a warehouse that the user cannot use is not chosen, and none at all is an error', async () => {
    const warehouses = [warehouse('a', 'RUNNING', 'finance')];
    workspace.state.replace({ workspaceDefaultWarehouseId: undefined, warehouses });
    await expect(lookUp()).rejects.toMatchObject({ code: 'not_found' });
  });
});
