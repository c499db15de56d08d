import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { callerAs, callerWith, userNamed } from './caller.ts';
import { type EmbeddedWorkspace, startWorkspace } from './workspace.ts';

/** What holds for every address: tokens, unknown paths, broken requests. */

let workspace: EmbeddedWorkspace;
beforeAll(async () => {
  workspace = await startWorkspace();
});
beforeEach(() => workspace.state.replace({}));
afterAll(() => workspace.close());

const PATHS = ['/api/2.0/preview/scim/v2/Me', '/api/2.0/sql/warehouses', '/api/2.0/mcp/sql', '/api/2.0/nothing'];

test.each(PATHS)('%s answers 401 with a message if the token is missing or invalid', async (path) => {
  for (const token of [undefined, 'dapi00000000000000000000000000000000']) {
    const { status, body } = await callerWith(workspace, token)('GET', path);
    expect([status, body]).toEqual([401, expect.objectContaining({ error_code: 401, message: expect.any(String) })]);
  }
});

test('a token of another workspace is refused', async () => {
  const other = await startWorkspace();
  const { token } = userNamed(other, 'ana');
  await other.close();
  expect((await callerWith(workspace, token)('GET', '/api/2.0/preview/scim/v2/Me')).status).toBe(401);
});

test('the token of a user who is no longer active is refused', async () => {
  const ben = callerAs(workspace, 'ben');
  const user = workspace.state.users.find(({ userName }) => userName === 'ben@example.com');
  if (user) user.active = false;
  expect((await ben('GET', '/api/2.0/preview/scim/v2/Me')).status).toBe(401);
});

test('an unknown path, or a known one with another method, answers 404 ENDPOINT_NOT_FOUND and names the path', async () => {
  const ana = callerAs(workspace, 'ana');
  for (const [method, path] of [
    ['GET', '/api/2.0/nothing'],
    ['DELETE', '/api/2.0/sql/warehouses'],
  ] as const) {
    const { status, body } = await ana(method, path);
    expect([status, body]).toMatchObject([
      404,
      { error_code: 'ENDPOINT_NOT_FOUND', message: `No API found for '${method} ${path.slice(4)}'` },
    ]);
  }
  expect((await fetch(`${workspace.host}/.well-known/nothing`)).status).toBe(404);
});

test('every answer names the workspace', async () => {
  for (const path of [...PATHS, '/login.html', '/oidc/jwks.json']) {
    const { headers } = await fetch(workspace.host + path);
    expect(headers.get('x-databricks-org-id')).toBe(workspace.state.workspaceId);
  }
});

test('a path that is not well encoded answers 400', async () => {
  expect((await callerAs(workspace, 'ana')('GET', '/api/2.0/sql/warehouses/%E0%A4%A')).status).toBe(400);
});

test('a client that disconnects in the middle of its request is not a failure', async () => {
  const complaints = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { hostname, port } = new URL(workspace.host);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  workspace.requests.clear();
  socket.write(
    `POST /api/warehouses/v1/default-warehouse-overrides HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${userNamed(workspace, 'ana').token}\r\nContent-Length: 100\r\n\r\n{"type":`,
  );
  while (workspace.requests.count() === 0) await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  while (workspace.requests.list()[0]?.status === undefined) await new Promise((resolve) => setImmediate(resolve));
  expect(complaints).not.toHaveBeenCalled();
  complaints.mockRestore();
  expect((await callerAs(workspace, 'ana')('GET', '/api/2.0/preview/scim/v2/Me')).status).toBe(200);
});
