import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../../main/platform/secret.ts';
import { findUser } from '../../../main/warehouses/users.ts';
import { createRestClient, type RestClient } from '../../../main/workspace/client.ts';

/** A workspace that filters by some attributes only, and has service principals. */

const USERS = [
  { id: '1', userName: 'ana@example.com', displayName: 'Ana Ferreira', emails: [{ value: 'ana.f@mail.example' }] },
  { id: '2', userName: 'joana@example.com', displayName: 'Joana Silva' },
  { id: '3', userName: 'bot-7', displayName: 'Bot' },
  { id: '70368744177664099', userName: 'kim@example.com', displayName: 'Kim Ferro' },
];
const PRINCIPALS = [{ id: '70368744177664011', applicationId: '6f1d2c3b-8a4e', displayName: 'Nightly agent' }];

let server: Server;
let client: RestClient;
let dispatcher: Agent;
beforeAll(async () => {
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    const [, kind = '', id] = /\/scim\/v2\/(\w+)(?:\/(.+))?$/.exec(url.pathname) ?? [];
    const all: Record<string, unknown>[] = kind === 'Users' ? USERS : PRINCIPALS;
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/scim+json' });
      response.end(JSON.stringify(body));
    };
    if (id) {
      const one = all.find((candidate) => candidate.id === id);
      return one ? send(200, one) : send(404, { detail: 'not found', status: '404' });
    }
    const filter = url.searchParams.get('filter') ?? '';
    const [, attribute = '', operator, text = ''] = /^([\w.]+) (eq|co|sw) "(.*)"$/.exec(filter) ?? [];
    if (attribute.startsWith('emails')) return send(400, { detail: 'unsupported filter', scimType: 'invalidFilter' });
    const wanted = text.toLowerCase();
    const Resources = all.filter((one) => {
      const held = String(one[attribute] ?? '').toLowerCase();
      if (operator === 'eq') return held === wanted;
      return operator === 'sw' ? held.startsWith(wanted) : held.includes(wanted);
    });
    return send(200, { Resources, totalResults: Resources.length });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  dispatcher = new Agent();
  client = createRestClient({
    profile: {
      name: 'p',
      host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      method: 'pat',
      workspaceId: undefined,
    },
    tokens: { token: async () => new Secret('t') },
    dispatcher,
  });
});
afterAll(async () => {
  await dispatcher.destroy();
  server.close();
});

describe('findUser', () => {
  test.each([
    ['a numeric id', '2', '2'],
    ['a user name', 'ana@example.com', '1'],
    ['a user name that is part of another one', 'ANA@example.com', '1'],
    ['the part before the @', 'joana', '2'],
    ['a part of a display name', 'silva', '2'],
    ['a service principal’s id', '70368744177664011', '70368744177664011'],
    ['a service principal’s application id', '6f1d2c3b-8a4e', '70368744177664011'],
    ['a service principal’s name', 'nightly', '70368744177664011'],
  ])('finds a user by %s', async (_how, text, id) => {
    expect((await findUser(client.users, text)).id).toBe(id);
  });

  test('refuses to guess between several, and names them', async () => {
    await expect(findUser(client.users, 'example')).rejects.toMatchObject({
      code: 'ambiguous',
      message: expect.stringContaining('Ana Ferreira ana@example.com (1), Joana Silva joana@example.com (2)'),
    });
  });

  test('a part that is in a user name and in another user’s display name chooses neither', async () => {
    await expect(findUser(client.users, 'fer')).rejects.toMatchObject({
      code: 'ambiguous',
      message:
        '"fer" matches 2 users: Ana Ferreira ana@example.com (1), Kim Ferro kim@example.com (70368744177664099).',
    });
  });

  test('two letters do not choose the only user who has them', async () => {
    await expect(findUser(client.users, 'lv')).rejects.toMatchObject({
      code: 'ambiguous',
      message: '"lv" is too short to name Joana Silva joana@example.com (2).',
    });
  });

  test.each([
    ['a name with a mistake in it', 'ferreyra', 'Did you mean "Ana Ferreira ana@example.com" (1)?'],
    ['an id that lacks a digit', '7036874417766409', 'Did you mean "Kim Ferro kim@example.com" (70368744177664099)?'],
  ])('suggests a user for %s', async (_what, text, question) => {
    await expect(findUser(client.users, text)).rejects.toMatchObject({
      code: 'not_found',
      remedy: expect.stringContaining(question),
      candidates: [{ id: expect.any(String), name: expect.any(String) }],
    });
  });

  test.each(['nobody', '404', '', '"; drop'])('finds nobody for %s', async (text) => {
    await expect(findUser(client.users, text)).rejects.toMatchObject({ code: 'not_found' });
  });
});
