import { heading, holds, LEFT_OUT, type Requirement, same } from './requirement.ts';
import { OVERRIDES, SQL } from './scene.ts';

const DOCUMENT = 'override';
const DEFAULT_SETTING = '/api/2.0/settings/types/default_warehouse_id/names/default';

const ELSEWHERE = 'The SQL editor, dashboards, spaces, alerts and the catalog explorer are pages of the workspace.';

/** What the override is and who decides. */
export const overrideService: Requirement[] = heading(DOCUMENT, 1, 'What the service does', [
  {
    says: 'A user’s override names the warehouse on which that user’s queries run.',
    show: async (scene) => {
      await scene.ok('warehouse', 'set', 'Data science');
      same('Stored', scene.stored('ana'), { type: 'CUSTOM', warehouse: scene.warehouse('Data science') });
      await scene.runsOn(await scene.connect('ana'), 'Data science');
      scene.look({ method: 'PATCH', path: OVERRIDES });
    },
  },
  {
    says: 'The managed SQL server honors the override.',
    show: async (scene) => {
      const agent = await scene.connect('ana');
      await scene.runsOn(agent, 'Starter Warehouse');
      await scene.ok('warehouse', 'set', 'Data science');
      await scene.runsOn(agent, 'Data science');
    },
  },
  { says: 'The workspace’s own pages honor it, too.', why: ELSEWHERE },
  {
    says: 'The user’s override is looked at first; without one, the workspace default decides.',
    show: async (scene) => {
      const agent = await scene.connect('ana');
      await scene.ok('warehouse', 'set', 'Data science');
      await scene.runsOn(agent, 'Data science');
      await scene.ok('warehouse', 'clear');
      await scene.runsOn(agent, 'Starter Warehouse');
      holds(/Starter Warehouse/.test(await scene.ok('warehouse')), 'The command names another warehouse.');
    },
  },
  {
    says: 'The workspace default is a setting of the workspace.',
    show: async (scene) => {
      holds(/Starter Warehouse/.test(await scene.ok('warehouse', 'default')), 'The command names another default.');
      same('The setting was read with', scene.one({ path: DEFAULT_SETTING }).logged.status, 200);
    },
  },
  {
    says: 'Only a workspace admin changes it.',
    show: async (scene) => {
      await scene.refused(/admin/, 'warehouse', 'default', 'set', 'Data science', '--yes', '--profile', 'ben');
      same(
        'The default after Ben',
        scene.workspace.state.workspaceDefaultWarehouseId,
        scene.warehouse('Starter Warehouse'),
      );
      await scene.ok('warehouse', 'default', 'set', 'Data science', '--yes');
      same('The default after Ana', scene.workspace.state.workspaceDefaultWarehouseId, scene.warehouse('Data science'));
      scene.look({ path: DEFAULT_SETTING });
    },
  },
  { says: 'The workspace has a menu for that setting.', why: 'The menu is a page of the workspace.' },
  {
    says: 'An admin changes it in the window as well.',
    by: 'window',
    show: async (scene) => {
      const page = await scene.window();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Change workspace default' }).click();
      const dialog = page.getByRole('dialog', { name: 'Change workspace default' });
      await dialog.getByRole('radio', { name: /^Data science/ }).check();
      await dialog.getByRole('button', { name: 'Set default' }).click();
      await page.getByText('Data science is the workspace default now.').waitFor();
      scene.note('Clicked: Change workspace default › Data science › Set default', 'The window says that it is set.');
      same('The default', scene.workspace.state.workspaceDefaultWarehouseId, scene.warehouse('Data science'));
      scene.look({ method: 'PATCH', path: DEFAULT_SETTING });
    },
  },
  {
    says: 'Its change applies at once to every user without an override.',
    show: async (scene) => {
      const [ben, chloe] = [await scene.connect('ben'), await scene.connect('chloe')];
      await scene.ok('warehouse', 'default', 'set', 'Data science', '--yes');
      await scene.runsOn(ben, 'Data science');
      await scene.runsOn(chloe, 'Data science');
    },
  },
  {
    says: 'Whoever has an override is not affected by the workspace default.',
    show: async (scene) => {
      const ben = await scene.connect('ben');
      await scene.ok('warehouse', 'set', 'Shared analytics', '--profile', 'ben');
      await scene.ok('warehouse', 'default', 'set', 'Data science', '--yes');
      await scene.runsOn(ben, 'Shared analytics');
    },
  },
  {
    says: 'The override belongs to the user alone: each client and agent of the same user gets the same warehouse.',
    show: async (scene) => {
      await scene.signIn('ana@example.com', 'login', '--profile', 'oauth');
      const [token, browser] = [await scene.connect('ana'), await scene.connect('oauth')];
      await scene.ok('warehouse', 'set', 'Data science', '--profile', 'ana');
      await scene.runsOn(token, 'Data science');
      await scene.runsOn(browser, 'Data science');
    },
  },
  {
    says: 'A change is seen by the next query.',
    show: async (scene) => {
      const agent = await scene.connect('ana');
      for (const name of ['Data science', 'Shared analytics', 'Data science']) {
        await scene.ok('warehouse', 'set', name);
        await scene.runsOn(agent, name);
      }
      same('Sessions that were opened for it', opened(scene.workspace.state.mcpCalls), 1);
    },
  },
  {
    says: 'Users manage their own override.',
    show: async (scene) => {
      await scene.ok('warehouse', 'set', 'Data science', '--profile', 'chloe');
      same('Stored for Chloe', scene.stored('chloe')?.warehouse, scene.warehouse('Data science'));
      await scene.ok('warehouse', 'clear', '--profile', 'chloe');
      same('Stored for Chloe', scene.stored('chloe'), undefined);
      scene.look({ path: `${OVERRIDES}/me` });
    },
  },
  {
    says: 'Workspace admins manage any user’s override.',
    show: async (scene) => {
      await scene.ok('warehouse', 'for', 'chloe@example.com', 'set', 'Data science', '--yes');
      same('Stored for Chloe', scene.stored('chloe')?.warehouse, scene.warehouse('Data science'));
      await scene.ok('warehouse', 'for', 'chloe@example.com', 'clear', '--yes');
      same('Stored for Chloe', scene.stored('chloe'), undefined);
      scene.look({ path: `${OVERRIDES}/${scene.idOf('chloe')}` });
    },
  },
  {
    says: 'A control beside the list of warehouses makes one of them the user’s own default.',
    by: 'window',
    show: async (scene) => {
      const page = await scene.window();
      await page.getByRole('button', { name: 'Change warehouse' }).click();
      await page.getByRole('radio', { name: /^Data science/ }).check();
      await page.getByRole('button', { name: 'Use this warehouse' }).click();
      await page.getByRole('heading', { name: 'Your queries run on Data science' }).waitFor();
      scene.note('Clicked: Change warehouse › Data science › Use this warehouse', 'Your queries run on Data science');
      same('Stored', scene.stored('ana'), { type: 'CUSTOM', warehouse: scene.warehouse('Data science') });
      scene.look({ method: 'PATCH', path: OVERRIDES });
    },
  },
  {
    says: 'The user sees there which warehouse is in effect.',
    by: 'window',
    show: async (scene) => {
      await scene.ok('warehouse', 'set', 'Shared analytics');
      const page = await scene.window();
      await page.getByRole('heading', { name: 'Your queries run on Shared analytics' }).waitFor();
      scene.note('The first screen', 'Your queries run on Shared analytics');
      scene.look({ method: 'GET', path: `${OVERRIDES}/me` });
    },
  },
  { says: 'Where the workspace’s own control is, is not given.', why: LEFT_OUT.silence },
  {
    says: 'Scripts use the REST API, or the command-line client, which adds nothing to it.',
    show: async (scene) => {
      const printed = await scene.ok('warehouses', 'create-default-warehouse-override', 'me', 'LAST_SELECTED');
      const { answered } = scene.one({ method: 'POST', path: OVERRIDES });
      same('Printed', JSON.parse(printed), JSON.parse(answered));
    },
  },
]);

function opened(calls: { server: string; method: string }[]): number {
  return calls.filter(({ server, method }) => server === 'sql' && method === 'initialize').length;
}

/** The checks that an override is in effect. */
export const verification: Requirement[] = heading(DOCUMENT, 4, 'Verification layers', [
  {
    says: 'First check: the stored record names the intended warehouse.',
    show: async (scene) => {
      await scene.ok('warehouse', 'set', 'Data science');
      await scene.ok('warehouse', 'verify', 'Data science');
      scene.look({ method: 'GET', path: `${OVERRIDES}/me` });
      await scene.refused(/Shared analytics/, 'warehouse', 'verify', 'Shared analytics');
    },
  },
  {
    says: 'Second check: the look-up of the command-line client gives the override’s warehouse.',
    show: async (scene) => {
      await scene.ok('warehouse', 'set', 'Data science');
      const printed = await scene.ok('experimental', 'aitools', 'tools', 'get-default-warehouse', '--profile', 'ana');
      same('Printed', printed.trim(), scene.warehouse('Data science'));
      scene.look({ method: 'GET', path: `${OVERRIDES}/me` });
    },
  },
  {
    says: 'A difference means that the override is stored and does not decide.',
    show: async (scene) => {
      await scene.ok('warehouse', 'set', 'Data science');
      const env = await scene.run('warehouse', 'verify', '--json');
      same('The exit code while it decides', env.code, 0);
      scene.env.DATABRICKS_WAREHOUSE_ID = scene.warehouse('Shared analytics');
      await scene.refused(/DATABRICKS_WAREHOUSE_ID/, 'warehouse', 'verify');
      scene.look({ method: 'GET', path: `${OVERRIDES}/me` });
    },
  },
  {
    says: 'Third check: every warehouse is stopped, a query is sent, and only the target runs.',
    show: async (scene) => {
      await scene.ok('warehouse', 'set', 'Data science');
      await scene.ok('warehouse', 'verify', '--cold', '--stop-warehouses');
      holds(
        scene
          .look({ method: 'POST', path: '/api/2.0/sql/warehouses' })
          .some(({ logged }) => logged.path.endsWith('/stop')),
        'No warehouse was stopped.',
      );
      same('The query ran on', scene.lastRanOn(), 'Data science');
      same('Sent to', scene.look({ method: 'POST', path: SQL }).length > 0, true);
    },
  },
  {
    says: 'The window makes the same checks.',
    by: 'window',
    show: async (scene) => {
      await scene.ok('warehouse', 'set', 'Data science');
      const page = await scene.window();
      await page.getByRole('button', { name: 'Verify', exact: true }).click();
      const check = (title: string) => page.getByRole('listitem').filter({ hasText: title });
      await check('Record').getByText('Passed').waitFor();
      await check('Resolve').getByText('Passed').waitFor();
      scene.note('Clicked: Verify', 'Record: Passed. Resolve: Passed.');
      scene.look({ method: 'GET', path: `${OVERRIDES}/me` });
    },
  },
]);
