import { describe, expect, it } from 'vitest';
import { WorkspaceError } from '../../../main/workspace/errors.ts';
import { mcpServicesApi } from '../../../main/workspace/mcp-services.ts';
import type { Rest, RestRequest } from '../../../main/workspace/rest.ts';

const RECORD = '/api/2.1/unity-catalog/mcp-services/system.ai.github';
const BELOW_SERVICE = `${RECORD}/user-credentials`;
const BELOW_CONNECTION = '/api/2.1/unity-catalog/connections/system.ai.github/user-credentials/ben%40example.com';
const GITHUB = { service: 'system.ai.github', serviceId: 'id-1', connection: 'system.ai.github' };

type Answers = Record<string, unknown>;

/** A workspace that answers each path with a body, or with an error; any other path is no API of it. */
function workspace(answers: Answers) {
  const asked: string[] = [];
  const request = async <T>({ path, schema, query }: RestRequest<T>): Promise<T> => {
    asked.push(query ? `${path}?${Object.values(query).join()}` : path);
    const answer = path in answers ? answers[path] : new WorkspaceError('feature_unavailable', 'No API found.');
    if (answer instanceof Error) throw answer;
    return schema.parse(answer);
  };
  const exchange = async () => Promise.reject(new Error('not used'));
  const profile = { name: 'ben', host: 'https://w.example', method: 'oauth-user', workspaceId: undefined } as const;
  const rest: Rest = { profile, request, exchange };
  return { asked, services: mcpServicesApi(rest) };
}

const record = (source: unknown) => ({ id: 'id-1', config: { source_connection: source } });
const below = (state: string) => ({ provisioning_info: { state } });
const absent = new WorkspaceError('not_found', 'There is none.');
const forbidden = new WorkspaceError('permission_denied', 'No.');

describe('the connection of a service', () => {
  it.each(['CONNECTION_HTTP_OAUTH_U2M_MAPPING', 'CONNECTION_HTTP_DCR', 'CONNECTION_SLACK_OAUTH_U2M_MAPPING'])(
    'needs a sign-in if it is %s',
    async (securable_kind) => {
      const source = { name: 'connections/system.ai.github', securable_kind };
      const { services } = workspace({ [RECORD]: record(source) });
      expect(await services.signInConnection('system.ai.github')).toEqual(GITHUB);
    },
  );

  it.each([
    ['there is none', undefined],
    ['it is of another kind', { name: 'connections/c', securable_kind: 'CONNECTION_HTTP_BEARER' }],
    ['its kind is unknown', { name: 'connections/c' }],
  ])('needs none if %s', async (_what, source) => {
    const { services } = workspace({ [RECORD]: record(source) });
    expect(await services.signInConnection('system.ai.github')).toBeUndefined();
  });
});

describe('whether a user has a credential', () => {
  it.each<[string, Answers, boolean]>([
    ['the service says so', { [BELOW_SERVICE]: below('ACTIVE') }, true],
    ['only the connection says so', { [BELOW_CONNECTION]: { connection_user_credential: below('ACTIVE') } }, true],
    [
      'the service has none and the connection has one',
      { [BELOW_SERVICE]: absent, [BELOW_CONNECTION]: { connection_user_credential: below('ACTIVE') } },
      true,
    ],
    ['both have none', { [BELOW_SERVICE]: absent, [BELOW_CONNECTION]: absent }, false],
    ['only the service is asked and has none', { [BELOW_SERVICE]: absent }, false],
    ['the credential is not active yet', { [BELOW_SERVICE]: below('PROVISIONING'), [BELOW_CONNECTION]: absent }, false],
    [
      'the service cannot be read and the connection has none',
      { [BELOW_SERVICE]: forbidden, [BELOW_CONNECTION]: absent },
      false,
    ],
  ])('is known if %s', async (_what, answers, expected) => {
    expect(await workspace(answers).services.hasCredential(GITHUB, 'ben@example.com')).toBe(expected);
  });

  it('is unknown if neither form of the API answers', async () => {
    const { services } = workspace({ [BELOW_CONNECTION]: forbidden });
    await expect(services.hasCredential(GITHUB, 'ben@example.com')).rejects.toBe(forbidden);
  });

  it('is asked of the connection by the id of the service, and only if the service does not say so', async () => {
    const { services, asked } = workspace({ [BELOW_SERVICE]: absent, [BELOW_CONNECTION]: absent });
    await services.hasCredential(GITHUB, 'ben@example.com');
    expect(asked).toEqual([BELOW_SERVICE, `${BELOW_CONNECTION}?id-1`]);
  });
});

it('a credential that does not exist is forgotten without an error', async () => {
  expect(await workspace({ [BELOW_SERVICE]: {} }).services.forgetCredential('system.ai.github')).toBe(true);
  expect(await workspace({ [BELOW_SERVICE]: absent }).services.forgetCredential('system.ai.github')).toBe(false);
});
