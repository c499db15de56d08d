import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, callerAs } from './caller.ts';
import { type EmbeddedWorkspace, startWorkspace } from './workspace.ts';

const SETTING = '/api/2.0/settings/types/default_warehouse_id/names/default';
const STARTER = '3f0c8a1d5e7b2946';
const SHARED = '8baced1ff014912d';
const NIGHTLY = 'd10f6b8e24a97c53';

let workspace: EmbeddedWorkspace;
let ana: Caller;
let ben: Caller;

beforeAll(async () => {
  workspace = await startWorkspace();
  [ana, ben] = [callerAs(workspace, 'ana'), callerAs(workspace, 'ben')];
});
beforeEach(() => workspace.state.replace({}));
afterAll(() => workspace.close());

function change(value: string, etag?: unknown): unknown {
  return {
    allow_missing: true,
    field_mask: 'string_val.value',
    setting: { ...(etag !== undefined && { etag }), setting_name: 'default', string_val: { value } },
  };
}

describe('the workspace default warehouse, as a setting', () => {
  test('an admin reads it with its etag, and changes it; all users resolve to the new one at once', async () => {
    const read = await ana('GET', SETTING);
    expect(read.body).toEqual({
      etag: expect.any(String),
      setting_name: 'default',
      string_val: { value: STARTER },
    });
    const changed = await ana('PATCH', SETTING, change(SHARED, read.body.etag));
    expect([changed.status, changed.body.string_val]).toEqual([200, { value: SHARED }]);
    expect(changed.body.etag).not.toBe(read.body.etag);
    expect((await ben('GET', '/api/2.0/sql/warehouses/default')).body.id).toBe(SHARED);
  });

  test('a stale etag is refused with 409 on read, change and removal; the setting stays', async () => {
    const stale = (await ana('GET', SETTING)).body.etag;
    await ana('PATCH', SETTING, change(SHARED, stale));
    const refused = await ana('PATCH', SETTING, change(STARTER, stale));
    expect([refused.status, refused.body.error_code]).toEqual([409, 'ABORTED']);
    const query = `?etag=${encodeURIComponent(String(stale))}`;
    expect((await ana('DELETE', SETTING + query)).status).toBe(409);
    expect((await ana('GET', SETTING + query)).status).toBe(409);
    expect((await ana('GET', SETTING)).body.string_val).toEqual({ value: SHARED });
  });

  test('a default that is removed is a 404, and can be set again', async () => {
    const removed = await ana('DELETE', SETTING);
    expect([removed.status, removed.body]).toEqual([200, { etag: expect.any(String) }]);
    expect((await ana('GET', SETTING)).status).toBe(404);
    expect((await ana('PATCH', SETTING, change(SHARED, removed.body.etag))).status).toBe(200);
  });

  test.each([
    ['GET', undefined],
    ['PATCH', change(SHARED)],
    ['DELETE', undefined],
  ])('%s answers 403 to a user who is not an admin', async (method, body) => {
    expect((await ben(method, SETTING, body)).status).toBe(403);
    expect(workspace.state.workspaceDefaultWarehouseId).toBe(STARTER);
  });

  test.each([
    ['an unknown warehouse', change('0000000000000000')],
    ['another field mask', { ...(change(SHARED) as object), field_mask: 'etag' }],
    ['no setting', { allow_missing: true, field_mask: 'string_val.value' }],
  ])('a change with %s answers 400', async (_what, body) => {
    expect((await ana('PATCH', SETTING, body)).status).toBe(400);
  });

  test('a workspace without the preview answers that the path is unknown', async () => {
    workspace.features.defaultWarehouseSetting = false;
    const { status, body } = await ana('GET', SETTING);
    workspace.features.defaultWarehouseSetting = true;
    expect([status, body.error_code]).toEqual([404, 'ENDPOINT_NOT_FOUND']);
  });
});

describe('permissions of a warehouse', () => {
  const path = `/api/2.0/permissions/warehouses/${NIGHTLY}`;

  test('an admin reads who can use it: owner, groups, admins', async () => {
    const { body } = await ana('GET', path);
    expect(body).toMatchObject({ object_id: `/sql/warehouses/${NIGHTLY}`, object_type: 'warehouses' });
    expect(body.access_control_list).toEqual([
      {
        user_name: 'ana@example.com',
        display_name: 'Ana Ferreira',
        all_permissions: [{ permission_level: 'IS_OWNER', inherited: false }],
      },
      { group_name: 'analysts', all_permissions: [{ permission_level: 'CAN_USE', inherited: false }] },
      { group_name: 'agents', all_permissions: [{ permission_level: 'CAN_USE', inherited: false }] },
      {
        group_name: 'admins',
        all_permissions: [
          { permission_level: 'CAN_MANAGE', inherited: true, inherited_from_object: ['/sql/warehouses/'] },
        ],
      },
    ]);
  });

  test('PATCH adds, PUT replaces, and both decide who can start it', async () => {
    const chloe = callerAs(workspace, 'chloe');
    const start = `/api/2.0/sql/warehouses/${NIGHTLY}/start`;
    expect((await chloe('POST', start)).status).toBe(403);
    const chloeMay = [{ user_name: 'chloe@example.com', permission_level: 'CAN_USE' }];
    expect((await ana('PATCH', path, { access_control_list: chloeMay })).status).toBe(200);
    expect((await chloe('POST', start)).status).toBe(200);
    const agentsMay = [{ group_name: 'agents', permission_level: 'CAN_USE' }];
    expect((await ana('PUT', path, { access_control_list: agentsMay })).status).toBe(200);
    expect((await chloe('POST', start)).status).toBe(403);
  });

  test('a user who does not manage the warehouse can read neither its permissions nor their levels', async () => {
    expect((await ben('GET', path)).status).toBe(403);
    expect((await ben('GET', `${path}/permissionLevels`)).status).toBe(403);
  });

  test('there are five levels', async () => {
    const { body } = await ana('GET', `${path}/permissionLevels`);
    const levels = body.permission_levels as { permission_level: string }[];
    expect(levels.map((level) => level.permission_level)).toEqual([
      'CAN_USE',
      'CAN_MONITOR',
      'CAN_VIEW',
      'CAN_MANAGE',
      'IS_OWNER',
    ]);
  });

  test('a warehouse that never existed answers 404, and an invalid change 400', async () => {
    expect((await ana('GET', '/api/2.0/permissions/warehouses/0000000000000000')).status).toBe(404);
    expect((await ana('PATCH', path, { access_control_list: [{ permission_level: 'CAN_USE' }] })).status).toBe(400);
  });
});

describe('users', () => {
  const scim = '/api/2.0/preview/scim/v2';

  async function found(caller: Caller, query: string): Promise<unknown[]> {
    const { body } = await caller('GET', `${scim}/Users?${query}`);
    return (body.Resources as { userName: string }[]).map(({ userName }) => userName);
  }

  test('Me is the caller, groups included; the answer names the workspace', async () => {
    const { body, headers } = await ana('GET', `${scim}/Me`);
    expect(body).toMatchObject({
      id: '9007199254740993001',
      userName: 'ana@example.com',
      displayName: 'Ana Ferreira',
      active: true,
      name: { givenName: 'Ana', familyName: 'Ferreira' },
      emails: [{ value: 'ana@example.com', type: 'work', primary: true }],
    });
    expect((body.groups as { display: string }[]).map(({ display }) => display)).toEqual(['users', 'admins']);
    expect(headers.get('x-databricks-org-id')).toBe(workspace.state.workspaceId);
    const bensGroups = (await ben('GET', `${scim}/Me`)).body.groups as { display: string }[];
    expect(bensGroups.map(({ display }) => display)).not.toContain('admins');
  });

  test('Me has no groups if the workspace leaves them out', async () => {
    workspace.features.scimGroups = false;
    const { body } = await ana('GET', `${scim}/Me`);
    workspace.features.scimGroups = true;
    expect(body).not.toHaveProperty('groups');
  });

  test.each([
    ['userName co "EXAMPLE"', ['ana@example.com', 'ben@example.com', 'chloe@example.com']],
    ['userName co "ben@"', ['ben@example.com']],
    ['userName eq "Chloe@example.com"', ['chloe@example.com']],
    ['userName eq "chloe"', []],
    ['displayName co "okafor"', ['ben@example.com']],
    ['displayName co "no such \\" name"', []],
  ])('the filter %s finds its users', async (filter, expected) => {
    expect(await found(ana, `filter=${encodeURIComponent(filter)}`)).toEqual(expected);
  });

  test('pages count from one, and a page past the end is empty', async () => {
    expect(await found(ana, 'startIndex=1&count=2')).toEqual(['ana@example.com', 'ben@example.com']);
    expect(await found(ana, 'startIndex=3&count=2')).toEqual(['chloe@example.com']);
    const { body } = await ana('GET', `${scim}/Users?startIndex=4&count=2`);
    expect(body).toMatchObject({ totalResults: 3, startIndex: 4, itemsPerPage: 0, Resources: [] });
  });

  test('attributes are limited to those requested, and to a few for users who are not admins', async () => {
    const asked = await ana('GET', `${scim}/Users?count=1&attributes=id,userName`);
    expect(Object.keys((asked.body.Resources as object[])[0] ?? {}).sort()).toEqual(['id', 'schemas', 'userName']);
    const seen = await ben('GET', `${scim}/Users?count=1`);
    expect(Object.keys((seen.body.Resources as object[])[0] ?? {})).toEqual([
      'id',
      'userName',
      'displayName',
      'active',
    ]);
  });

  test('errors have the form of SCIM', async () => {
    const strange = await ana('GET', `${scim}/Users?filter=${encodeURIComponent('age gt 7')}`);
    expect([strange.status, strange.body]).toEqual([
      400,
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '400',
        scimType: 'invalidFilter',
        detail: expect.stringContaining('age gt 7'),
      },
    ]);
    expect((await ana('GET', `${scim}/Users/1`)).status).toBe(404);
  });
});
