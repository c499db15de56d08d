import { z } from 'zod';
import { heading, holds, LEFT_OUT, type Requirement, same } from './requirement.ts';
import { OVERRIDES, type Scene } from './scene.ts';

const DOCUMENT = 'override';
const ME = 'default-warehouse-overrides/me';
const SUBCOMMANDS = [
  'create-default-warehouse-override',
  'get-default-warehouse-override',
  'update-default-warehouse-override',
  'list-default-warehouse-overrides',
  'delete-default-warehouse-override',
];

function drop(operation: 'create' | 'get' | 'update' | 'delete', ...more: string[]): string[] {
  return ['warehouses', `${operation}-default-warehouse-override`, ...more];
}

function create(scene: Scene, user = 'me', ...more: string[]): Promise<string> {
  return scene.ok(...drop('create', user, 'CUSTOM', '--warehouse-id', scene.warehouse('Data science'), ...more));
}

/** Expects that Ben, who is no admin, is refused with 403 what Ana may do. */
async function onlyAdmins(scene: Scene, filter: { method: string; path: string }, ...args: string[]): Promise<void> {
  await scene.refused(/admin/i, ...args, '--profile', 'ben');
  await scene.ok(...args, '--profile', 'ana');
  const seen = scene.look(filter).map(({ logged }) => `${logged.userName} ${logged.status}`);
  same('The answers', seen, ['ben@example.com 403', 'ana@example.com 200']);
}

/** The five requests. */
export const overrideEndpoints: Requirement[] = heading(DOCUMENT, 5, 'Endpoints', [
  {
    says: 'All requests go to the collection under /api/warehouses/v1.',
    show: async (scene) => {
      await create(scene);
      await scene.ok(...drop('get', ME));
      await scene.ok(...drop('update', ME, '*', 'LAST_SELECTED'));
      await scene.ok('warehouses', SUBCOMMANDS[3] ?? '');
      await scene.ok(...drop('delete', ME));
      const methods = scene.lookAtDone({ path: OVERRIDES }).map(({ logged }) => logged.method);
      same('The methods', methods, ['POST', 'GET', 'PATCH', 'GET', 'DELETE']);
    },
  },
  {
    says: 'Bodies are JSON and are sent as application/json.',
    show: async (scene) => {
      await create(scene);
      await scene.ok(...drop('update', ME, '*', 'LAST_SELECTED'));
      for (const { logged, sent } of scene.look({ path: OVERRIDES })) {
        same('The content type', logged.headers['content-type'], 'application/json');
        JSON.parse(sent);
      }
      same('Requests', scene.look({ path: OVERRIDES }).length, 2);
    },
  },
  {
    says: 'POST creates: the id (`me` or a number) in the query, type and warehouse in the body.',
    show: async (scene) => {
      await create(scene);
      await create(scene, scene.idOf('chloe'));
      const sent = scene.look({ method: 'POST', path: OVERRIDES });
      const ids = sent.map(({ logged }) => logged.query.default_warehouse_override_id);
      same('The ids', ids, ['me', scene.idOf('chloe')]);
      for (const exchange of sent) {
        same('The body', JSON.parse(exchange.sent), { type: 'CUSTOM', warehouse_id: scene.warehouse('Data science') });
      }
    },
  },
  {
    says: 'GET of one gives the record with its four fields.',
    show: async (scene) => {
      await create(scene);
      const printed: unknown = JSON.parse(await scene.ok(...drop('get', ME)));
      const { answered } = scene.one({ method: 'GET', path: OVERRIDES });
      same('The record', Object.keys(z.record(z.string(), z.string()).parse(printed)).sort(), [
        'default_warehouse_override_id',
        'name',
        'type',
        'warehouse_id',
      ]);
      same('Printed', printed, JSON.parse(answered));
    },
  },
  {
    says: 'PATCH updates: `*` or names of fields in the query’s update_mask, type and warehouse in the body.',
    show: async (scene) => {
      await create(scene);
      const target = scene.warehouse('Shared analytics');
      for (const mask of ['*', 'warehouse_id', 'type,warehouse_id']) {
        await scene.ok(...drop('update', ME, mask, 'CUSTOM', '--warehouse-id', target));
      }
      const sent = scene.look({ method: 'PATCH', path: `${OVERRIDES}/me` });
      same(
        'The masks',
        sent.map(({ logged }) => logged.query.update_mask),
        ['*', 'warehouse_id', 'type,warehouse_id'],
      );
      for (const exchange of sent)
        same('The body', JSON.parse(exchange.sent), { type: 'CUSTOM', warehouse_id: target });
    },
  },
  {
    says: 'DELETE removes the override.',
    show: async (scene) => {
      await create(scene);
      await scene.ok(...drop('delete', ME));
      same('Stored', scene.stored('ana'), undefined);
      same('The body', scene.one({ method: 'DELETE', path: `${OVERRIDES}/me` }).sent, '');
    },
  },
  {
    says: 'GET of the collection gives all overrides, to admins alone.',
    show: async (scene) => {
      await create(scene);
      await create(scene, scene.idOf('chloe'));
      await scene.refused(/admin/i, 'warehouses', SUBCOMMANDS[3] ?? '', '--profile', 'ben');
      const list = await scene.ok('warehouses', SUBCOMMANDS[3] ?? '');
      holds(
        [scene.idOf('ana'), scene.idOf('chloe')].every((id) => list.includes(id)),
        'Not all of them were printed.',
      );
      scene.look({ method: 'GET', path: OVERRIDES });
    },
  },
  {
    says: 'In a path the id is `me` or a number.',
    show: async (scene) => {
      await create(scene);
      await scene.ok(...drop('get', ME));
      await scene.ok(...drop('get', `default-warehouse-overrides/${scene.idOf('ana')}`));
      const paths = scene.look({ method: 'GET', path: OVERRIDES }).map(({ logged }) => logged.path);
      same('The paths', paths, [`${OVERRIDES}/me`, `${OVERRIDES}/${scene.idOf('ana')}`]);
    },
  },
  {
    says: 'The mask follows the usual convention: fields that it does not name stay as they are.',
    show: async (scene) => {
      await create(scene);
      await scene.ok(...drop('update', ME, 'type', 'CUSTOM', '--warehouse-id', scene.warehouse('Shared analytics')));
      same('Stored', scene.stored('ana')?.warehouse, scene.warehouse('Data science'));
      scene.look({ method: 'PATCH', path: OVERRIDES });
    },
  },
  { says: 'The bodies of four of the answers are not given.', why: LEFT_OUT.silence },
  { says: 'How REST spells the option for a missing override is not given.', why: LEFT_OUT.silence },
  { says: 'A request for the workspace default is not given.', why: LEFT_OUT.silence },
]);

/** The subcommands of the command-line client. */
export const overrideSubcommands: Requirement[] = heading(DOCUMENT, 6, 'Command-line client subcommands', [
  {
    says: 'There are five subcommands under `warehouses`.',
    show: async (scene) => {
      const help = await scene.ok('warehouses', '--help');
      same(
        'Missing',
        SUBCOMMANDS.filter((name) => !help.includes(name)),
        [],
      );
    },
  },
  {
    says: 'Each takes `--profile`, which selects stored credentials.',
    show: async (scene) => {
      await create(scene, 'me', '--profile', 'chloe');
      await scene.ok(...drop('get', ME), '--profile', 'chloe');
      await scene.ok(...drop('update', ME, '*', 'LAST_SELECTED'), '--profile', 'chloe');
      await scene.ok(...drop('delete', ME), '--profile', 'chloe');
      await scene.refused(/admin/i, 'warehouses', SUBCOMMANDS[3] ?? '', '--profile', 'chloe');
      const users = new Set(scene.look({ path: OVERRIDES }).map(({ logged }) => logged.userName));
      same('The users', [...users], ['chloe@example.com']);
    },
  },
  {
    says: 'Create takes a user id or `me`, a type, and `--warehouse-id`.',
    show: async (scene) => {
      await create(scene);
      same('Stored', scene.stored('ana'), { type: 'CUSTOM', warehouse: scene.warehouse('Data science') });
      scene.one({ method: 'POST', path: OVERRIDES });
    },
  },
  {
    says: 'Get takes the record’s name and prints its four fields.',
    show: async (scene) => {
      await create(scene);
      same(
        'Printed',
        Object.keys(z.record(z.string(), z.string()).parse(JSON.parse(await scene.ok(...drop('get', ME))))).length,
        4,
      );
      scene.one({ method: 'GET', path: OVERRIDES });
    },
  },
  {
    says: 'Update takes the name, a mask (`*` for all fields), a type, `--warehouse-id` and `--allow-missing`.',
    show: async (scene) => {
      const target = scene.warehouse('Shared analytics');
      await scene.ok(...drop('update', ME, '*', 'CUSTOM', '--warehouse-id', target, '--allow-missing'));
      same('Stored', scene.stored('ana'), { type: 'CUSTOM', warehouse: target });
      scene.one({ method: 'PATCH', path: OVERRIDES });
    },
  },
  {
    says: 'List takes nothing and is for admins.',
    show: (scene) => onlyAdmins(scene, { method: 'GET', path: OVERRIDES }, 'warehouses', SUBCOMMANDS[3] ?? ''),
  },
  {
    says: 'Delete takes the name; the user falls back to the workspace default.',
    show: async (scene) => {
      await create(scene);
      await scene.ok(...drop('delete', ME));
      await scene.runsOn(await scene.connect('ana'), 'Starter Warehouse');
      scene.one({ method: 'DELETE', path: OVERRIDES });
    },
  },
  {
    says: 'For another user, an admin gives that user’s numeric id in place of `me`.',
    show: async (scene) => {
      await create(scene, scene.idOf('ben'));
      await scene.runsOn(await scene.connect('ben'), 'Data science');
      scene.one({ method: 'POST', path: OVERRIDES });
    },
  },
]);

/** Tokens, and who may do what. */
export const overrideAuthentication: Requirement[] = heading(DOCUMENT, 7, 'Authentication', [
  {
    says: 'Every call carries the workspace’s OAuth token as a bearer token.',
    show: async (scene) => {
      await scene.signIn('ana@example.com', 'login', '--profile', 'oauth');
      await create(scene, 'me', '--profile', 'oauth');
      await scene.ok('warehouse', '--profile', 'oauth');
      const calls = scene.workspace.wire.filter(({ logged }) => logged.path.startsWith('/api/'));
      for (const call of calls)
        same(`${call.logged.method} ${call.logged.path}`, call.authorization, 'Bearer <ACCESS_TOKEN>');
      holds(calls.length > 2, 'There were no calls.');
      scene.look({ path: OVERRIDES });
    },
  },
  {
    says: '`auth token` with the workspace’s host gives a token.',
    show: async (scene) => {
      await scene.signIn('ana@example.com', 'login', '--profile', 'oauth');
      const printed: unknown = JSON.parse(await scene.ok('auth', 'token', '--host', scene.workspace.host));
      const { access_token } = z.object({ access_token: z.string() }).parse(printed);
      const headers = { authorization: `Bearer ${access_token}` };
      const answer = await fetch(`${scene.workspace.host}/api/2.0/preview/scim/v2/Me`, { headers });
      scene.note('A request with the printed token', `${answer.status}`);
      same('The workspace’s answer', answer.status, 200);
      scene.look({ path: '/oidc/v1/token' });
    },
  },
  {
    says: '`auth login` stores credentials under a profile.',
    show: async (scene) => {
      await scene.signIn('ben@example.com', 'auth', 'login', '--host', scene.workspace.host, '--profile', 'mine');
      holds(/\[mine\]\s+host = /.test(await scene.readHome('.databrickscfg')), 'The profile is not in the file.');
      holds(
        (await scene.ok('whoami', '--profile', 'mine')).includes('ben@example.com'),
        'The profile is not signed in.',
      );
      scene.look({ path: '/oidc/v1/token' });
    },
  },
  {
    says: 'Any user creates, reads, updates and deletes the override of their own.',
    show: async (scene) => {
      await create(scene, 'me', '--profile', 'chloe');
      await scene.ok(...drop('get', ME), '--profile', 'chloe');
      await scene.ok(...drop('update', ME, '*', 'LAST_SELECTED'), '--profile', 'chloe');
      await scene.ok(...drop('delete', ME), '--profile', 'chloe');
      same(
        'The answers',
        scene.lookAtDone({ path: OVERRIDES }).map(({ logged }) => logged.method),
        ['POST', 'GET', 'PATCH', 'DELETE'],
      );
    },
  },
  {
    says: 'Reading another user’s override takes an admin.',
    show: async (scene) => {
      const path = `${OVERRIDES}/${scene.idOf('chloe')}`;
      await create(scene, 'me', '--profile', 'chloe');
      await onlyAdmins(
        scene,
        { method: 'GET', path },
        ...drop('get', `default-warehouse-overrides/${scene.idOf('chloe')}`),
      );
    },
  },
  {
    says: 'Creating, updating and deleting another user’s override takes an admin.',
    show: async (scene) => {
      const chloe = scene.idOf('chloe');
      const name = `default-warehouse-overrides/${chloe}`;
      const target = scene.warehouse('Data science');
      const [post, one] = [{ method: 'POST', path: OVERRIDES }, `${OVERRIDES}/${chloe}`];
      await onlyAdmins(scene, post, ...drop('create', chloe, 'CUSTOM', '--warehouse-id', target));
      await onlyAdmins(scene, { method: 'PATCH', path: one }, ...drop('update', name, '*', 'LAST_SELECTED'));
      await onlyAdmins(scene, { method: 'DELETE', path: one }, ...drop('delete', name));
    },
  },
  {
    says: 'Listing all overrides takes an admin.',
    show: (scene) => onlyAdmins(scene, { method: 'GET', path: OVERRIDES }, 'warehouses', SUBCOMMANDS[3] ?? ''),
  },
  {
    says: 'Changing the workspace default takes an admin.',
    show: async (scene) => {
      const path = '/api/2.0/settings/types/default_warehouse_id/names/default';
      await scene.refused(/admin/i, 'warehouse', 'default', 'set', 'Data science', '--yes', '--profile', 'ben');
      await scene.ok('warehouse', 'default', 'set', 'Data science', '--yes', '--profile', 'ana');
      const changed = scene.look({ method: 'PATCH', path }).filter(({ logged }) => logged.status === 200);
      same(
        'Changed by',
        changed.map(({ logged }) => logged.userName),
        ['ana@example.com'],
      );
    },
  },
  {
    says: 'An admin changes another user’s override in the window.',
    by: 'window',
    show: async (scene) => {
      await create(scene, scene.idOf('chloe'));
      const page = await scene.window();
      await page
        .getByRole('navigation', { name: 'Screens' })
        .getByRole('link', { name: 'Overrides', exact: true })
        .click();
      await page.getByRole('button', { name: 'Change override for Chloe Tan' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('radio', { name: /^Shared analytics/ }).check();
      await dialog.getByRole('button', { name: 'Change override' }).click();
      await dialog.waitFor({ state: 'detached' });
      scene.note('Clicked: Overrides › Change override for Chloe Tan › Shared analytics › Change override', '');
      same('Stored for Chloe', scene.stored('chloe')?.warehouse, scene.warehouse('Shared analytics'));
      scene.look({ method: 'PATCH', path: OVERRIDES });
    },
  },
]);

/** Errors, and what the document leaves open. */
export const overrideErrors: Requirement[] = [
  ...heading(DOCUMENT, 8, 'Errors', [
    {
      says: 'A warehouse that the user may not use: create succeeds, and the command says that queries will fail.',
      show: async (scene) => {
        await scene.ok('warehouse', 'set', 'Finance BI', '--force', '--profile', 'ben');
        same('Stored for Ben', scene.stored('ben')?.warehouse, scene.warehouse('Finance BI'));
        const { said } = await scene.run('warehouse', '--profile', 'ben');
        holds(/CAN USE/.test(said), 'The command does not say why queries fail.');
        same('The query', (await scene.query(await scene.connect('ben'))).status.state, 'FAILED');
        scene.look({ path: OVERRIDES });
      },
    },
    {
      says: 'An update without the option for a missing override fails where there is none.',
      show: async (scene) => {
        await scene.refused(/no default warehouse override/, ...drop('update', ME, '*', 'LAST_SELECTED'));
        same('Stored', scene.stored('ana'), undefined);
        holds(
          (scene.one({ method: 'PATCH', path: OVERRIDES }).logged.status ?? 0) >= 400,
          'The workspace accepted it.',
        );
      },
    },
    { says: 'Codes, statuses and bodies of errors are not given.', why: LEFT_OUT.silence },
  ]),
  ...heading(DOCUMENT, 9, 'Events and limits', [
    { says: 'Events are not given.', why: LEFT_OUT.silence },
    { says: 'Limits are not given.', why: LEFT_OUT.silence },
  ]),
  ...heading(DOCUMENT, 10, 'Versioning', [
    {
      says: 'The path has the segment v1.',
      show: async (scene) => {
        await create(scene);
        same('The path', scene.one({ path: OVERRIDES }).logged.path.split('/')[3], 'v1');
      },
    },
    {
      says: 'The client’s version that brought the subcommands.',
      why: 'It is about the vendor’s client; ours has them.',
    },
    { says: 'The provider for infrastructure as code has a data source.', why: LEFT_OUT.platform },
    {
      says: 'It has no resource that creates overrides; the command-line client does that.',
      show: async (scene) => {
        await scene.writeHome(`user,type,warehouse\nchloe@example.com,CUSTOM,Data science\n`, 'overrides.csv');
        await scene.ok('warehouse', 'import', `${scene.home}/overrides.csv`, '--yes');
        same('Stored for Chloe', scene.stored('chloe')?.warehouse, scene.warehouse('Data science'));
        scene.look({ method: 'PATCH', path: OVERRIDES });
      },
    },
    { says: 'A policy of compatibility is not given.', why: LEFT_OUT.silence },
  ]),
];
