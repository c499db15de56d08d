import { z } from 'zod';
import { heading, holds, LEFT_OUT, type Requirement, same } from './requirement.ts';
import { OVERRIDES, type Scene } from './scene.ts';

const DOCUMENT = 'override';
const ME = 'default-warehouse-overrides/me';
const CREATE = ['warehouses', 'create-default-warehouse-override'];
const GET = ['warehouses', 'get-default-warehouse-override'];
const UPDATE = ['warehouses', 'update-default-warehouse-override'];
const DELETE = ['warehouses', 'delete-default-warehouse-override'];

const OverrideRecord = z.object({
  default_warehouse_override_id: z.string(),
  name: z.string(),
  type: z.string(),
  warehouse_id: z.string().optional(),
});

async function create(scene: Scene, warehouse = 'Data science'): Promise<z.infer<typeof OverrideRecord>> {
  const printed = await scene.ok(...CREATE, 'me', 'CUSTOM', '--warehouse-id', scene.warehouse(warehouse));
  return OverrideRecord.parse(JSON.parse(printed));
}

function custom(scene: Scene, warehouse: string) {
  return { type: 'CUSTOM', warehouse: scene.warehouse(warehouse) };
}

/** The record and its fields. */
export const overrideRecords: Requirement[] = heading(DOCUMENT, 2, 'Resources and their fields', [
  {
    says: 'The record’s id is the numeric id of its user.',
    show: async (scene) => {
      same('The id', (await create(scene)).default_warehouse_override_id, scene.idOf('ana'));
      scene.look({ path: OVERRIDES });
    },
  },
  {
    says: 'In a create request, `me` stands for the caller.',
    show: async (scene) => {
      await create(scene);
      const { logged } = scene.one({ method: 'POST', path: OVERRIDES });
      same('The id in the query', logged.query.default_warehouse_override_id, 'me');
      same('Stored for Ana', scene.stored('ana'), custom(scene, 'Data science'));
    },
  },
  {
    says: 'The record’s name is the collection’s name with that id.',
    show: async (scene) => {
      same('The name', (await create(scene)).name, `default-warehouse-overrides/${scene.idOf('ana')}`);
      scene.look({ path: OVERRIDES });
    },
  },
  {
    says: 'The type is CUSTOM or LAST_SELECTED.',
    show: async (scene) => {
      await create(scene);
      await scene.ok(...UPDATE, ME, '*', 'LAST_SELECTED');
      same('Stored', scene.stored('ana')?.type, 'LAST_SELECTED');
      await scene.refused(/CUSTOM or LAST_SELECTED/, ...UPDATE, ME, '*', 'FAVORITE');
      same('Stored after a wrong type', scene.stored('ana')?.type, 'LAST_SELECTED');
      scene.look({ path: OVERRIDES });
    },
  },
  {
    says: 'Create and update need the type.',
    show: async (scene) => {
      await create(scene);
      await scene.ok(...UPDATE, ME, 'warehouse_id', 'CUSTOM', '--warehouse-id', scene.warehouse('Shared analytics'));
      const sent = [
        ...scene.look({ method: 'POST', path: OVERRIDES }),
        ...scene.look({ method: 'PATCH', path: OVERRIDES }),
      ];
      const types = sent.map((exchange) => JSON.parse(exchange.sent).type);
      same('The types sent', types, ['CUSTOM', 'CUSTOM']);
      await scene.refused(/type/i, ...CREATE, 'me');
    },
  },
  {
    says: 'A CUSTOM override needs a warehouse.',
    show: async (scene) => {
      await scene.refused(/warehouse_id is required/, ...CREATE, 'me', 'CUSTOM');
      same('The status', scene.one({ method: 'POST', path: OVERRIDES }).logged.status, 400);
    },
  },
  {
    says: 'A LAST_SELECTED override needs none.',
    show: async (scene) => {
      await scene.ok(...CREATE, 'me', 'LAST_SELECTED');
      const { sent } = scene.one({ method: 'POST', path: OVERRIDES });
      same('The body', JSON.parse(sent), { type: 'LAST_SELECTED' });
    },
  },
  { says: 'Whether a record has other fields is not given.', why: LEFT_OUT.silence },
  {
    says: 'Wherever an id is asked for, `me` stands for the caller.',
    show: async (scene) => {
      await create(scene);
      await scene.ok(...GET, ME);
      await scene.ok(...UPDATE, ME, '*', 'LAST_SELECTED');
      await scene.ok(...DELETE, ME);
      const methods = scene.lookAtDone({ path: `${OVERRIDES}/me` }).map(({ logged }) => logged.method);
      same('The requests', methods, ['GET', 'PATCH', 'DELETE']);
    },
  },
  {
    says: 'The command-line client takes the full name of a record.',
    show: async (scene) => {
      await create(scene);
      await scene.ok(...GET, `default-warehouse-overrides/${scene.idOf('ana')}`);
      same('The status', scene.one({ path: `${OVERRIDES}/${scene.idOf('ana')}` }).logged.status, 200);
    },
  },
  {
    says: 'CUSTOM: queries run on the named warehouse.',
    show: async (scene) => {
      await create(scene);
      await scene.runsOn(await scene.connect('ana'), 'Data science');
    },
  },
  {
    says: 'LAST_SELECTED: queries run on the warehouse that the user chose last.',
    show: async (scene) => {
      await scene.ok('warehouse', 'last-selected');
      const agent = await scene.connect('ana');
      for (const name of ['Shared analytics', 'Data science']) {
        scene.workspace.state.lastSelected.set(scene.idOf('ana'), scene.warehouse(name));
        scene.note(`In the workspace’s SQL editor, Ana chooses ${name}`, '');
        await scene.runsOn(agent, name);
      }
    },
  },
  {
    says: 'The user needs CAN USE on the warehouse.',
    show: async (scene) => {
      await scene.refused(/CAN USE/, 'warehouse', 'set', 'Finance BI', '--profile', 'ben');
      same('Stored for Ben', scene.stored('ben'), undefined);
      await scene.ok('warehouse', 'set', 'Data science', '--profile', 'ben');
      same('Stored for Ben', scene.stored('ben'), custom(scene, 'Data science'));
      scene.look({ path: '/api/2.0/sql/warehouses' });
    },
  },
  {
    says: 'An override that names a warehouse without CAN USE is stored; the user’s queries fail at its start.',
    show: async (scene) => {
      const finance = scene.warehouse('Finance BI');
      await scene.ok(...CREATE, 'me', 'CUSTOM', '--warehouse-id', finance, '--profile', 'ben');
      same('The status of create', scene.one({ method: 'POST', path: OVERRIDES }).logged.status, 200);
      const { status } = await scene.query(await scene.connect('ben'));
      same('The end of the query', status.state, 'FAILED');
      holds(status.error?.message.includes('CAN_USE'), `The query failed for another reason: ${status.error?.message}`);
    },
  },
]);

/** What create, update and delete do. */
export const overrideLifecycle: Requirement[] = heading(DOCUMENT, 3, 'States and transitions', [
  {
    says: 'No override, create: an override of the requested type; queries run by it.',
    show: async (scene) => {
      const agent = await scene.connect('ana');
      await create(scene);
      same('Stored', scene.stored('ana'), custom(scene, 'Data science'));
      await scene.runsOn(agent, 'Data science');
      await scene.ok(...CREATE, 'me', 'LAST_SELECTED', '--profile', 'ben');
      same('Stored for Ben', scene.stored('ben')?.type, 'LAST_SELECTED');
      scene.look({ method: 'POST', path: OVERRIDES });
    },
  },
  {
    says: 'Any override, update to CUSTOM with the mask `*`: CUSTOM with the new warehouse from the next query on.',
    show: async (scene) => {
      const agent = await scene.connect('ana');
      await scene.ok(...CREATE, 'me', 'LAST_SELECTED');
      await scene.ok(...UPDATE, ME, '*', 'CUSTOM', '--warehouse-id', scene.warehouse('Data science'));
      same('Stored', scene.stored('ana'), custom(scene, 'Data science'));
      await scene.runsOn(agent, 'Data science');
      same('The mask', scene.one({ method: 'PATCH', path: OVERRIDES }).logged.query.update_mask, '*');
    },
  },
  {
    says: 'The same with a mask that names the changed fields.',
    show: async (scene) => {
      const agent = await scene.connect('ana');
      await create(scene);
      await scene.ok(...UPDATE, ME, 'warehouse_id', 'CUSTOM', '--warehouse-id', scene.warehouse('Shared analytics'));
      same('Stored', scene.stored('ana'), custom(scene, 'Shared analytics'));
      await scene.runsOn(agent, 'Shared analytics');
      same('The mask', scene.one({ method: 'PATCH', path: OVERRIDES }).logged.query.update_mask, 'warehouse_id');
    },
  },
  {
    says: 'CUSTOM, update to LAST_SELECTED with the mask `*` and no warehouse: LAST_SELECTED from the next query on.',
    show: async (scene) => {
      const agent = await scene.connect('ana');
      await create(scene);
      scene.workspace.state.lastSelected.set(scene.idOf('ana'), scene.warehouse('Shared analytics'));
      await scene.ok(...UPDATE, ME, '*', 'LAST_SELECTED');
      same('Stored', scene.stored('ana'), { type: 'LAST_SELECTED', warehouse: undefined });
      same('The body', JSON.parse(scene.one({ method: 'PATCH', path: OVERRIDES }).sent), { type: 'LAST_SELECTED' });
      await scene.runsOn(agent, 'Shared analytics');
    },
  },
  {
    says: 'No override, update that allows a missing one: the override is created.',
    show: async (scene) => {
      const target = scene.warehouse('Data science');
      await scene.ok(...UPDATE, ME, '*', 'CUSTOM', '--warehouse-id', target, '--allow-missing');
      same('Stored', scene.stored('ana'), custom(scene, 'Data science'));
      same('The option', scene.one({ method: 'PATCH', path: OVERRIDES }).logged.query.allow_missing, 'true');
    },
  },
  {
    says: 'One script works whether or not there is an override.',
    show: async (scene) => {
      for (const name of ['Data science', 'Shared analytics']) {
        await scene.ok(...UPDATE, ME, '*', 'CUSTOM', '--warehouse-id', scene.warehouse(name), '--allow-missing');
        same('Stored', scene.stored('ana'), custom(scene, name));
      }
      scene.look({ method: 'PATCH', path: OVERRIDES });
    },
  },
  {
    says: 'Any override, delete: no override; queries run on the workspace default.',
    show: async (scene) => {
      const agent = await scene.connect('ana');
      await create(scene);
      await scene.ok(...DELETE, ME);
      same('Stored', scene.stored('ana'), undefined);
      await scene.runsOn(agent, 'Starter Warehouse');
      same('The status', scene.one({ method: 'DELETE', path: OVERRIDES }).logged.status, 200);
    },
  },
  { says: 'What create does where there is an override is not given.', why: LEFT_OUT.silence },
  {
    says: 'A query whose warehouse is STOPPED makes it RUNNING, and touches no other.',
    show: async (scene) => {
      await scene.ok('warehouse', 'set', 'Data science');
      const before = await scene.running();
      await scene.runsOn(await scene.connect('ana'), 'Data science');
      same('RUNNING', (await scene.running()).sort(), [...before, 'Data science'].sort());
      scene.look({ method: 'GET', path: '/api/2.0/sql/warehouses' });
    },
  },
  { says: 'Other changes of a warehouse’s state are outside the document.', why: LEFT_OUT.silence },
]);
