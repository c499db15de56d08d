import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { heading, holds, LEFT_OUT, type Requirement, same } from './requirement.ts';
import { APPLICATION, type Scene, SQL } from './scene.ts';

const DOCUMENT = 'endpoints';
const TOKEN = '/oidc/v1/token';

const Configuration = z.object({
  mcpServers: z.record(z.string(), z.looseObject({ type: z.string().optional() })),
});

/** Adds the SQL server to a client’s file and gives the entry. */
async function entryIn(scene: Scene, folder: string, file: string, ...more: string[]) {
  await mkdir(join(scene.home, folder), { recursive: true });
  await scene.ok('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'warehouse-sql');
  await scene.ok('clients', 'add', ...more);
  const text = await scene.readHome(...file.split('/'));
  scene.note(`The file ~/${file}`, text);
  return Configuration.parse(JSON.parse(text)).mcpServers['warehouse-sql'];
}

/** The proxy between stdin, stdout and the server. */
export const endpointsProxy: Requirement[] = heading(DOCUMENT, 6, 'Stdio proxy pattern', [
  {
    says: 'Clients start servers as subprocesses and exchange frames in lines over stdin and stdout.',
    show: async (scene) => {
      const agent = await scene.connect('ana');
      await scene.runsOn(agent, 'Starter Warehouse');
      for (const line of agent.lines) same('Each line is a frame', JSON.parse(line).jsonrpc, '2.0');
      holds(agent.lines.length > 2, 'There were no lines.');
    },
  },
  {
    says: '1. It reads frames from stdin.',
    show: async (scene) => {
      const agent = await scene.connect('ana');
      const ids = [1, 2, 3, 4];
      const answers = await Promise.all(ids.map((id) => scene.ask(agent, id, 'ping', {})));
      same(
        'The answers',
        answers.map(({ id }) => id),
        ids,
      );
      await scene.tools(agent);
      scene.look({ path: SQL });
    },
  },
  {
    says: '2. Its credentials come from a named profile of the stored configuration.',
    show: async (scene) => {
      for (const profile of ['ben', 'chloe']) await scene.tools(await scene.connect(profile));
      const users = new Set(scene.look({ path: SQL }).map(({ logged }) => logged.userName));
      same('The users', [...users].sort(), ['ben@example.com', 'chloe@example.com']);
    },
  },
  {
    says: '3. It posts each frame to the server with the headers above.',
    show: async (scene) => {
      await scene.tools(await scene.connect('ana'));
      const methods = scene.look({ method: 'POST', path: SQL }).map(({ sent }) => JSON.parse(sent).method);
      same('The frames', methods, ['initialize', 'notifications/initialized', 'tools/list']);
    },
  },
  {
    says: '4. It keeps the session id and sends it.',
    show: async (scene) => {
      await scene.runsOn(await scene.connect('ana'), 'Starter Warehouse');
      const [first, ...later] = scene.look({ method: 'POST', path: SQL });
      const issued = first?.answerHeaders['mcp-session-id'];
      same('The ids sent', [...new Set(later.map(({ logged }) => logged.headers['mcp-session-id']))], [issued]);
      holds(issued, 'No id was issued.');
    },
  },
  {
    says: '5. It takes event streams apart and writes each frame in a line.',
    workspace: { mcp: { answers: 'sse' } },
    show: async (scene) => {
      const agent = await scene.connect('ana');
      await scene.tools(agent);
      const list = scene.look({ method: 'POST', path: SQL }).find(({ sent }) => sent.includes('tools/list'));
      const answered = list?.answered ?? '';
      holds(answered.includes('data: '), 'The answer was no event stream.');
      const frames = answered.split('\n').filter((line) => line.startsWith('data: {'));
      const written = agent.lines.filter((line) => line.includes('"tools"') && line.includes('execute_sql'));
      same('Frames and lines', [frames.length, written.length], [1, 1]);
    },
  },
  {
    says: '6. On 404 or 410 it replays `initialize` and sends the request again once.',
    show: async (scene) => {
      const agent = await scene.connect('ana');
      await scene.tools(agent);
      scene.workspace.faults.expireSessions(410);
      holds((await scene.tools(agent)).length > 0, 'There are no tools.');
      const methods = scene.look({ method: 'POST', path: SQL }).map(({ sent }) => JSON.parse(sent).method);
      same(
        'initialize and tools/list',
        ['initialize', 'tools/list'].map((name) => methods.filter((one) => one === name).length),
        [2, 3],
      );
    },
  },
  {
    says: 'Script form: host from `--profile`, server from `--path`, sign-in as the profile has it.',
    show: async (scene) => {
      holds(
        (await scene.tools(await scene.start('--profile', 'ana', '--path', SQL))).length > 0,
        'There are no tools.',
      );
      scene.look({ path: SQL });
    },
  },
  {
    says: 'Package form: host and server from `--url`, `--auth-type` of the command-line client, `--profile`.',
    show: async (scene) => {
      await scene.signIn('ana@example.com', 'login', '--profile', 'oauth');
      const url = `${scene.workspace.host}${SQL}`;
      const agent = await scene.start('--url', url, '--auth-type', 'databricks-cli', '--profile', 'oauth');
      holds((await scene.tools(agent)).length > 0, 'There are no tools.');
      same('The user', scene.look({ path: SQL })[0]?.logged.userName, 'ana@example.com');
    },
  },
  {
    says: 'A client’s file has entries under mcpServers, each with command and args.',
    show: async (scene) => {
      const entry = await entryIn(scene, '.cursor', '.cursor/mcp.json', 'cursor');
      const { command, args } = z.looseObject({ command: z.string(), args: z.array(z.string()) }).parse(entry);
      holds(command !== '' && args.includes('proxy') && args.includes(SQL), 'The entry does not start the proxy.');
    },
  },
  {
    says: 'An entry may say that it is of type stdio.',
    show: async (scene) => {
      await scene.writeHome('{}', '.claude.json');
      same('The type', (await entryIn(scene, '.claude', '.claude.json', 'claude-code'))?.type, 'stdio');
    },
  },
  {
    says: 'A client that speaks HTTP has an entry of type http with url, oauth.clientId and oauth.callbackPort.',
    show: async (scene) => {
      await scene.writeHome('{}', '.claude.json');
      const options = ['--http', '--client-id', 'shared-client', '--callback-port', '3118'];
      const entry = await entryIn(scene, '.claude', '.claude.json', 'claude-code', ...options);
      same('The entry', entry, {
        type: 'http',
        url: `${scene.workspace.host}${SQL}`,
        oauth: { clientId: 'shared-client', callbackPort: 3118 },
      });
    },
  },
  {
    says: 'Clients read entries at their start: after a change the command says to restart.',
    show: async (scene) => {
      await mkdir(join(scene.home, '.cursor'), { recursive: true });
      await scene.ok('servers', 'add', '--path', '/api/2.0/mcp/sql');
      const { said } = await scene.run('clients', 'add', 'cursor');
      holds(/Restart Cursor/i.test(said), 'The command does not say so.');
    },
  },
]);

/** Tokens of the proxy. */
export const endpointsAuthentication: Requirement[] = heading(DOCUMENT, 7, 'Authentication', [
  {
    says: 'Every request carries a bearer token: of a sign-in, or a personal access token.',
    show: async (scene) => {
      await scene.signIn('ana@example.com', 'login', '--profile', 'oauth');
      for (const profile of ['oauth', 'ana']) await scene.tools(await scene.connect(profile));
      const kinds = new Set(scene.look({ path: SQL }).map(({ authorization }) => authorization));
      same('Seen', [...kinds].sort(), ['Bearer <ACCESS_TOKEN>', 'Bearer <PERSONAL_ACCESS_TOKEN>']);
    },
  },
  {
    says: 'Each server has its scope; a sign-in may ask for those that it needs.',
    workspace: { oauthClients: [APPLICATION] },
    show: async (scene) => {
      await scene.signInWithScope('ana@example.com', 'scoped', 'sql');
      holds((await scene.tools(await scene.connect('scoped'))).length > 0, 'There are no tools.');
      holds(
        scene.steps.some(({ did }) => did.includes('--scopes sql')),
        'The scope was not asked for.',
      );
      scene.look({ path: SQL });
    },
  },
  {
    says: 'An account admin creates an OAuth application’s id once; the command prints what to run.',
    show: async (scene) => {
      const { out } = await scene.run('account', 'custom-app-integration', 'create');
      holds(out.startsWith('databricks account custom-app-integration create --json '), 'The command is not printed.');
    },
  },
  {
    says: 'The id is shared with the workspace’s users.',
    why: 'People do it; `login --client-id` takes the id, as 7.2 shows.',
  },
  {
    says: '(a) The profile gives host and sign-in; for OAuth it holds the host alone.',
    show: async (scene) => {
      await scene.signIn('ana@example.com', 'auth', 'login', '--host', scene.workspace.host, '--profile', 'mine');
      const [, section = ''] = /\[mine\]\n([^[]*)/.exec(await scene.readHome('.databrickscfg')) ?? [];
      scene.note('The profile in ~/.databrickscfg', section);
      same(
        'Its keys',
        section
          .trim()
          .split('\n')
          .map((line) => line.split(' ')[0]),
        ['host'],
      );
      scene.look({ path: TOKEN });
    },
  },
  {
    says: '(b) A token that is still valid is used.',
    show: async (scene) => {
      await scene.signIn('ana@example.com', 'login', '--profile', 'oauth');
      for (let run = 0; run < 2; run += 1) await scene.tools(await scene.connect('oauth'));
      same('Requests for a token', scene.look({ path: TOKEN }).length, 1);
    },
  },
  {
    says: '(b) The cache is kept by host and profile: another profile of the same host is another sign-in.',
    show: async (scene) => {
      await scene.writeHome(
        `[one]\nhost = ${scene.workspace.host}\n\n[two]\nhost = ${scene.workspace.host}\n`,
        '.databrickscfg',
      );
      await scene.signIn('ana@example.com', 'login', '--profile', 'one');
      await scene.signIn('ben@example.com', 'login', '--profile', 'two');
      holds((await scene.ok('whoami', '--profile', 'one')).includes('ana@'), 'The first sign-in has gone.');
      holds((await scene.ok('whoami', '--profile', 'two')).includes('ben@'), 'The second sign-in is missing.');
      same('Sign-ins', scene.look({ path: TOKEN }).length, 2);
    },
  },
  {
    says: '(b) One that has expired is exchanged by its refresh token, and the cache updated.',
    workspace: { lifetimes: { accessToken: 1 } },
    show: async (scene) => {
      await scene.signIn('ana@example.com', 'login', '--profile', 'oauth');
      scene.workspace.lifetimes.accessToken = 3600;
      scene.workspace.faults.expireAccessTokens();
      await scene.tools(await scene.connect('oauth'));
      await scene.tools(await scene.connect('oauth'));
      same(
        'The grants',
        scene.look({ path: TOKEN }).map(({ logged }) => logged.grantType),
        ['authorization_code', 'refresh_token'],
      );
    },
  },
  {
    says: '(c) Without either, a sign-in opens a local listener and the browser, and fills the cache.',
    show: async (scene) => {
      const { said } = await scene.signIn('ana@example.com', 'login', '--profile', 'oauth');
      holds(/redirect_uri=http%3A%2F%2Flocalhost%3A\d+/.test(said), 'There is no local listener.');
      holds((await scene.tools(await scene.connect('oauth'))).length > 0, 'The cache is empty.');
      same('Requests for a token', scene.look({ path: TOKEN }).length, 1);
    },
  },
  {
    says: '(c) A client’s user is offered the sign-in by the proxy itself.',
    show: async (scene) => {
      const agent = await scene.connect('oauth');
      const names = await scene.tools(agent);
      holds(names.length > 0, 'The proxy offers nothing while it is signed out.');
      scene.note('Offered while signed out', names.join(', '));
      same('Requests to the server', scene.look({ path: SQL }).filter(({ authorization }) => authorization).length, 0);
    },
  },
  {
    says: 'The server never sees the profile’s name.',
    show: async (scene) => {
      await scene.signIn(
        'ana@example.com',
        'auth',
        'login',
        '--host',
        scene.workspace.host,
        '--profile',
        'very-secret-name',
      );
      await scene.runsOn(await scene.connect('very-secret-name'), 'Starter Warehouse');
      await scene.ok('warehouse', '--profile', 'very-secret-name');
      const seen = scene.workspace.wire.filter((exchange) =>
        JSON.stringify([exchange.logged, exchange.sent]).includes('very-secret-name'),
      );
      same('Requests with the name', seen.length, 0);
      scene.look({ path: SQL });
    },
  },
  {
    says: 'A service principal signs in with its id and secret, without a browser.',
    show: async (scene) => {
      await scene.tools(await scene.connect('agent'));
      same('The grant', scene.look({ path: TOKEN })[0]?.logged.grantType, 'client_credentials');
      const { clientId } = scene.workspace.servicePrincipal;
      same('The caller', scene.look({ path: SQL })[0]?.logged.userName, clientId);
    },
  },
  {
    says: 'After a 401, `current-user me` of that profile tells whether the sign-in itself is sound.',
    show: async (scene) => {
      holds(
        (await scene.ok('current-user', 'me', '--profile', 'ana')).includes('ana@example.com'),
        'It names another user.',
      );
      scene.workspace.faults.refuseToken(
        scene.workspace.users.find(({ userName }) => userName.startsWith('ben'))?.token ?? '',
      );
      const { code } = await scene.run('current-user', 'me', '--profile', 'ben');
      same('With a bad token it succeeds', code === 0, false);
      const answers = scene.look({ path: '/api/2.0/preview/scim/v2/Me' }).map(({ logged }) => logged.status);
      holds(answers[0] === 200 && answers.includes(401), `The answers were ${answers.join(', ')}.`);
    },
  },
]);

/** Errors, as a user meets them. */
export const endpointsErrors: Requirement[] = [
  ...heading(DOCUMENT, 8, 'Events and errors', [
    { says: 'Events are not given.', why: LEFT_OUT.silence },
    {
      says: 'A POST of an empty object without a token gets 401 with a challenge, which shows that the workspace is reachable.',
      show: async (scene) => {
        const printed = await scene.run('diagnose');
        holds(/is reachable and asks for a sign-in/.test(printed.said), 'The check does not say so.');
        const probe = scene
          .look({ method: 'POST', path: SQL })
          .find(({ authorization }) => authorization === undefined);
        same('The probe', [probe?.sent, probe?.logged.status], ['{}', 401]);
        holds(probe?.answerHeaders['www-authenticate'], 'There was no challenge.');
      },
    },
    {
      says: '401: the profile’s host is not the workspace of the resource.',
      show: async (scene) => {
        await scene.writeHome(
          `[other]\nhost = ${scene.workspace.host}\ntoken = dapi${'0'.repeat(32)}\n`,
          '.databrickscfg',
        );
        await scene.refused(/token/i, 'whoami', '--profile', 'other');
        holds(
          scene.workspace.wire.some(({ logged }) => logged.status === 401),
          'There was no 401.',
        );
        scene.look({ path: '/api/2.0/preview/scim/v2/Me' });
      },
    },
    {
      says: '403: an IP access list blocks the caller.',
      show: async (scene) => {
        scene.workspace.faults.add({ path: '/api/*', effect: { kind: 'block-ip' }, times: 'always' });
        await scene.refused(/IP/, 'warehouse');
        const { said } = await scene.run('diagnose');
        holds(/IP/.test(said), 'The checks do not name the access list.');
        holds(
          scene.look({ path: '/api/2.0' }).some(({ logged }) => logged.fault === 'block-ip'),
          'Nothing was blocked.',
        );
      },
    },
    {
      says: '403 or an empty list of tools: grants of the data catalog are missing.',
      show: async (scene) => {
        const finance = '/api/2.0/mcp/functions/main/finance';
        await scene.ok('servers', 'add', 'functions', 'main.finance', '--name', 'finance', '--profile', 'ben');
        const { said, code } = await scene.run('servers', 'test', 'finance');
        holds(code !== 0 || /0 tools|no tools/i.test(said), `The command sees tools: ${said}`);
        holds(/grant|permission|access|EXECUTE|USE SCHEMA/i.test(said), 'The command does not name grants.');
        scene.look({ path: finance });
      },
    },
    {
      says: '404 or 410 with a session id: the session has expired, as under 4.',
      show: async (scene) => {
        const agent = await scene.connect('ana');
        await scene.tools(agent);
        scene.workspace.faults.expireSessions(404);
        holds((await scene.tools(agent)).length > 0, 'There are no tools.');
        holds(
          scene.look({ path: SQL }).some(({ logged }) => logged.status === 404),
          'There was no 404.',
        );
      },
    },
    {
      says: 'Nothing answers, or TLS fails: the address is wrong, or the name unknown.',
      show: async (scene) => {
        await scene.writeHome('[gone]\nhost = http://127.0.0.1:1\ntoken = dapi0\n', '.databrickscfg');
        await scene.refused(/127\.0\.0\.1:1/, 'warehouse', '--profile', 'gone');
        const agent = await scene.connect('gone');
        scene.note('What a client is offered', (await scene.tools(agent)).join(', '));
        const { said } = await scene.run('diagnose', '--profile', 'gone');
        holds(/not reachable|cannot be reached|could not be reached|refused/i.test(said), 'The checks do not say so.');
      },
    },
    { says: 'The bodies of errors are not given.', why: LEFT_OUT.silence },
    { says: 'Limits are not given.', why: LEFT_OUT.silence },
  ]),
  ...heading(DOCUMENT, 9, 'Versioning', [
    {
      says: 'The path has the segment 2.0.',
      show: async (scene) => {
        await scene.tools(await scene.connect('ana'));
        same('The path', scene.look({ path: SQL })[0]?.logged.path.split('/')[2], '2.0');
      },
    },
    {
      says: 'A client that begins with the revision 2024-11-05 is served.',
      show: async (scene) => {
        const agent = await scene.connect('ana');
        await scene.runsOn(agent, 'Starter Warehouse');
        const opened = scene.look({ path: SQL }).find(({ sent }) => sent.includes('"initialize"'));
        same('Sent', JSON.parse(opened?.sent ?? '{}').params?.protocolVersion, '2024-11-05');
      },
    },
    { says: 'A policy of compatibility is not given.', why: LEFT_OUT.silence },
  ]),
];
