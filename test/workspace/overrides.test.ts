import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, callerAs, callerWith, userNamed } from './caller.ts';
import type { Override } from './model.ts';
import { type EmbeddedWorkspace, startWorkspace } from './workspace.ts';

const BASE = '/api/warehouses/v1/default-warehouse-overrides';
const SHARED = '8baced1ff014912d';
const SCIENCE = 'b2d94c07a61e83f5';
const FINANCE = 'c7e5190b3d48f62a';
const DELETED = 'f46b21c98d0e5a73';

let workspace: EmbeddedWorkspace;
let ana: Caller;
let ben: Caller;
let anaId: string;
let benId: string;

beforeAll(async () => {
  workspace = await startWorkspace();
  [ana, ben] = [callerAs(workspace, 'ana'), callerAs(workspace, 'ben')];
  [anaId, benId] = [userNamed(workspace, 'ana').id, userNamed(workspace, 'ben').id];
});
beforeEach(() => workspace.state.replace({}));
afterAll(() => workspace.close());

function custom(userId: string, warehouseId: string): Override {
  return { userId, type: 'CUSTOM', warehouseId };
}

function customRecord(userId: string, warehouseId: string): unknown {
  return {
    name: `default-warehouse-overrides/${userId}`,
    default_warehouse_override_id: userId,
    type: 'CUSTOM',
    warehouse_id: warehouseId,
  };
}

function lastSelectedRecord(userId: string): unknown {
  return {
    name: `default-warehouse-overrides/${userId}`,
    default_warehouse_override_id: userId,
    type: 'LAST_SELECTED',
  };
}

function given(...overrides: Override[]): void {
  workspace.state.replace({ overrides });
}

describe('the lifecycle of an override', () => {
  test('create CUSTOM makes the requested override if there is none', async () => {
    const created = await ben('POST', `${BASE}?default_warehouse_override_id=me`, {
      type: 'CUSTOM',
      warehouse_id: SHARED,
    });
    expect([created.status, created.body]).toEqual([200, customRecord(benId, SHARED)]);
    expect((await ben('GET', `${BASE}/me`)).body).toEqual(customRecord(benId, SHARED));
  });

  test('create LAST_SELECTED makes an override without a warehouse if there is none', async () => {
    const created = await ben('POST', `${BASE}?default_warehouse_override_id=me`, { type: 'LAST_SELECTED' });
    expect([created.status, created.body]).toEqual([200, lastSelectedRecord(benId)]);
  });

  test('update to CUSTOM with a warehouse makes any override name the new warehouse', async () => {
    given({ userId: benId, type: 'LAST_SELECTED', warehouseId: undefined });
    const updated = await ben('PATCH', `${BASE}/me?update_mask=*`, { type: 'CUSTOM', warehouse_id: SCIENCE });
    expect([updated.status, updated.body]).toEqual([200, customRecord(benId, SCIENCE)]);
  });

  test('update of CUSTOM to LAST_SELECTED with the mask `*` needs no warehouse and keeps none', async () => {
    given(custom(benId, SHARED));
    const updated = await ben('PATCH', `${BASE}/me?update_mask=*`, { type: 'LAST_SELECTED' });
    expect([updated.status, updated.body]).toEqual([200, lastSelectedRecord(benId)]);
  });

  test('update with allow_missing creates the override if there is none, and the mask does not matter', async () => {
    const body = { type: 'CUSTOM', warehouse_id: SHARED };
    const created = await ben('PATCH', `${BASE}/me?update_mask=type&allow_missing=true`, body);
    expect([created.status, created.body]).toEqual([200, customRecord(benId, SHARED)]);
  });

  test('update without allow_missing answers 404 if there is none, and creates nothing', async () => {
    const body = { type: 'CUSTOM', warehouse_id: SHARED };
    for (const query of ['update_mask=*', 'update_mask=*&allow_missing=false']) {
      const refused = await ben('PATCH', `${BASE}/me?${query}`, body);
      expect([refused.status, refused.body.error_code]).toEqual([404, 'NOT_FOUND']);
    }
    expect(workspace.state.overrides.size).toBe(0);
  });

  test('delete removes any override, and deleting again is a 404', async () => {
    given(custom(benId, SHARED));
    const removed = await ben('DELETE', `${BASE}/me`);
    expect([removed.status, removed.body]).toEqual([200, {}]);
    expect((await ben('GET', `${BASE}/me`)).status).toBe(404);
    expect((await ben('DELETE', `${BASE}/me`)).status).toBe(404);
  });

  test('create answers 409 if there is an override already, and the old one stays', async () => {
    given(custom(benId, SHARED));
    const refused = await ben('POST', `${BASE}?default_warehouse_override_id=me`, { type: 'LAST_SELECTED' });
    expect([refused.status, refused.body.error_code]).toEqual([409, 'ALREADY_EXISTS']);
    expect((await ben('GET', `${BASE}/me`)).body).toEqual(customRecord(benId, SHARED));
  });
});

describe('update_mask', () => {
  const body = { type: 'LAST_SELECTED', warehouse_id: SCIENCE };

  test.each([
    ['warehouse_id', body, () => customRecord(benId, SCIENCE)],
    ['type', body, () => lastSelectedRecord(benId)],
    ['type,warehouse_id', { type: 'CUSTOM', warehouse_id: SCIENCE }, () => customRecord(benId, SCIENCE)],
    ['warehouse_id,type', body, () => lastSelectedRecord(benId)],
    ['*', { type: 'CUSTOM', warehouse_id: SCIENCE }, () => customRecord(benId, SCIENCE)],
  ])('%s changes what it names and nothing else', async (mask, sent, expected) => {
    given(custom(benId, SHARED));
    const updated = await ben('PATCH', `${BASE}/me?update_mask=${mask}`, sent);
    expect([updated.status, updated.body]).toEqual([200, expected()]);
  });

  test.each([
    ['an unknown field', 'update_mask=owner', body],
    ['an unknown field among known ones', 'update_mask=type,owner', body],
    ['an output field', 'update_mask=name', body],
    ['`*` together with a field', 'update_mask=*,type', body],
    ['no mask at all', 'allow_missing=true', body],
    ['an empty mask', 'update_mask=', body],
  ])('%s answers 400', async (_what, query, sent) => {
    given(custom(benId, SHARED));
    const refused = await ben('PATCH', `${BASE}/me?${query}`, sent);
    expect([refused.status, refused.body.error_code]).toEqual([400, 'INVALID_PARAMETER_VALUE']);
  });

  test('an allow_missing that is neither true nor false answers 400', async () => {
    expect((await ben('PATCH', `${BASE}/me?update_mask=*&allow_missing=yes`, body)).status).toBe(400);
  });

  test.each([
    ['warehouse_id', { type: 'CUSTOM', warehouse_id: SCIENCE }],
    ['type', { type: 'CUSTOM' }],
    ['type', { type: 'CUSTOM', warehouse_id: SCIENCE }],
  ])('%s of %o over LAST_SELECTED answers 400, because only CUSTOM names a warehouse', async (mask, sent) => {
    given({ userId: benId, type: 'LAST_SELECTED', warehouseId: undefined });
    expect((await ben('PATCH', `${BASE}/me?update_mask=${mask}`, sent)).status).toBe(400);
    expect((await ben('GET', `${BASE}/me`)).body).toEqual(lastSelectedRecord(benId));
  });
});

describe('validation', () => {
  test.each([
    ['CUSTOM without a warehouse', { type: 'CUSTOM' }],
    ['CUSTOM with an empty warehouse', { type: 'CUSTOM', warehouse_id: '' }],
    ['a warehouse id that is a number', { type: 'CUSTOM', warehouse_id: 7 }],
    ['an unknown warehouse', { type: 'CUSTOM', warehouse_id: '0000000000000000' }],
    ['a deleted warehouse', { type: 'CUSTOM', warehouse_id: DELETED }],
    ['an unknown type', { type: 'PINNED', warehouse_id: SHARED }],
    ['no type', { warehouse_id: SHARED }],
    ['no object', ['CUSTOM']],
  ])('%s answers 400 on create and on update', async (_what, body) => {
    const created = await ben('POST', `${BASE}?default_warehouse_override_id=me`, body);
    expect([created.status, created.body.error_code]).toEqual([400, 'INVALID_PARAMETER_VALUE']);
    given(custom(benId, SHARED));
    const updated = await ben('PATCH', `${BASE}/me?update_mask=*`, body);
    expect([updated.status, updated.body.error_code]).toEqual([400, 'INVALID_PARAMETER_VALUE']);
    expect((await ben('GET', `${BASE}/me`)).body).toEqual(customRecord(benId, SHARED));
  });

  test('a body that is not JSON answers 400', async () => {
    const refused = await ben('POST', `${BASE}?default_warehouse_override_id=me`, '{"type":');
    expect([refused.status, refused.body.error_code]).toEqual([400, 'MALFORMED_REQUEST']);
  });

  test.each(['', '?default_warehouse_override_id=', '?default_warehouse_override_id=ben@example.com'])(
    'create%s names no user and answers 400',
    async (query) => {
      expect((await ben('POST', BASE + query, { type: 'LAST_SELECTED' })).status).toBe(400);
    },
  );

  test('a warehouse that the user cannot use is accepted', async () => {
    expect(workspace.state.warehouses.some(({ id, canUse }) => id === FINANCE && canUse.has('users'))).toBe(false);
    const created = await ben('POST', `${BASE}?default_warehouse_override_id=me`, {
      type: 'CUSTOM',
      warehouse_id: FINANCE,
    });
    expect([created.status, created.body]).toEqual([200, customRecord(benId, FINANCE)]);
  });
});

describe('ids', () => {
  test('ids that are equal as doubles are two users', async () => {
    expect(Number(anaId)).toBe(Number(benId));
    given(custom(anaId, SHARED), custom(benId, SCIENCE));
    expect((await ana('GET', `${BASE}/${benId}`)).body).toEqual(customRecord(benId, SCIENCE));
    expect((await ana('GET', `${BASE}/${anaId}`)).body).toEqual(customRecord(anaId, SHARED));
    expect((await ana('GET', `${BASE}/me`)).body).toEqual(customRecord(anaId, SHARED));
  });

  test('a user who does not exist is a 404 for an admin', async () => {
    expect((await ana('GET', `${BASE}/123`)).status).toBe(404);
    expect((await ana('POST', `${BASE}?default_warehouse_override_id=123`, { type: 'LAST_SELECTED' })).status).toBe(
      404,
    );
  });
});

describe('permissions', () => {
  const calls: [what: string, run: (caller: Caller, id: string) => Promise<{ status: number }>, present: boolean][] = [
    ['create', (as, id) => as('POST', `${BASE}?default_warehouse_override_id=${id}`, { type: 'LAST_SELECTED' }), false],
    ['read', (as, id) => as('GET', `${BASE}/${id}`), true],
    ['update', (as, id) => as('PATCH', `${BASE}/${id}?update_mask=*`, { type: 'LAST_SELECTED' }), true],
    [
      'update with allow_missing',
      (as, id) => as('PATCH', `${BASE}/${id}?update_mask=*&allow_missing=true`, { type: 'LAST_SELECTED' }),
      false,
    ],
    ['delete', (as, id) => as('DELETE', `${BASE}/${id}`), true],
  ];

  test.each(calls)('%s is allowed to any user for themselves, by `me` and by number', async (_what, run, present) => {
    for (const id of ['me', benId]) {
      given(...(present ? [custom(benId, SHARED)] : []));
      expect((await run(ben, id)).status).toBe(200);
    }
  });

  test.each(calls)(
    '%s for another user is allowed only to an admin, whether that user exists or not',
    async (_what, run, present) => {
      const chloe = callerAs(workspace, 'chloe');
      given(...(present ? [custom(benId, SHARED)] : []));
      for (const id of [benId, '123456']) expect((await run(chloe, id)).status).toBe(403);
      expect((await run(ana, benId)).status).toBe(200);
    },
  );

  test('list returns all overrides to an admin, and 403 to others', async () => {
    given(custom(anaId, SHARED), custom(benId, SCIENCE));
    expect((await ana('GET', BASE)).body).toEqual({
      default_warehouse_overrides: [customRecord(anaId, SHARED), customRecord(benId, SCIENCE)],
    });
    const refused = await ben('GET', BASE);
    expect([refused.status, refused.body.error_code]).toEqual([403, 'PERMISSION_DENIED']);
  });

  test('a request without a token answers 401', async () => {
    expect((await callerWith(workspace, undefined)('GET', `${BASE}/me`)).status).toBe(401);
  });
});

describe('paging', () => {
  test('every override appears once, and the last page has no token', async () => {
    given(...Array.from({ length: 5 }, (_, index) => custom(String(index + 1), SHARED)));
    const seen: unknown[] = [];
    let token: unknown;
    let pages = 0;
    do {
      const query = token === undefined ? 'page_size=2' : `page_size=2&page_token=${token}`;
      const { body } = await ana('GET', `${BASE}?${query}`);
      seen.push(
        ...(body.default_warehouse_overrides as { default_warehouse_override_id: string }[]).map(
          (item) => item.default_warehouse_override_id,
        ),
      );
      token = body.next_page_token;
      pages += 1;
    } while (token !== undefined);
    expect([pages, seen]).toEqual([3, ['1', '2', '3', '4', '5']]);
  });

  test.each([
    ['', 100],
    ['?page_size=250', 250],
    ['?page_size=5000', 1000],
  ])('a page of list%s holds %i of 1200', async (query, expected) => {
    given(...Array.from({ length: 1200 }, (_, index) => custom(String(index + 1), SHARED)));
    expect((await ana('GET', BASE + query)).body.default_warehouse_overrides).toHaveLength(expected);
  });

  test.each(['page_size=two', 'page_token=nonsense'])('%s answers 400', async (query) => {
    expect((await ana('GET', `${BASE}?${query}`)).status).toBe(400);
  });
});

test('a workspace without the override API answers that the path is unknown', async () => {
  workspace.features.overrides = false;
  const { status, body } = await ben('GET', `${BASE}/me`);
  workspace.features.overrides = true;
  expect([status, body.error_code]).toEqual([404, 'ENDPOINT_NOT_FOUND']);
});
