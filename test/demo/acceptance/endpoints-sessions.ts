import type { Exchange } from '../../workspace/wire.ts';
import { FOUR, FUNCTIONS } from './endpoints-servers.ts';
import { heading, holds, LEFT_OUT, type Requirement, same } from './requirement.ts';
import { type Scene, SQL } from './scene.ts';

const DOCUMENT = 'endpoints';

function methodOf({ sent }: Exchange): string | undefined {
  return sent === '' ? undefined : JSON.parse(sent).method;
}

function posts(scene: Scene, method?: string): Exchange[] {
  return scene
    .look({ method: 'POST', path: SQL })
    .filter((exchange) => method === undefined || methodOf(exchange) === method);
}

function sessionId({ logged }: Exchange): string | undefined {
  return logged.headers['mcp-session-id'];
}

/** The session ends at the server with that status; the client’s next call is answered as if nothing had happened. */
async function survives(scene: Scene, status: 404 | 410): Promise<void> {
  const agent = await scene.connect('ana');
  await scene.runsOn(agent, 'Starter Warehouse');
  const [first] = posts(scene, 'initialize');
  scene.workspace.faults.expireSessions(status);
  scene.note(`The server ends its sessions: ${status} from now on`, '');
  const before = scene.workspace.wire.length;
  await scene.runsOn(agent, 'Starter Warehouse');
  const after = posts(scene).filter((exchange) => scene.workspace.wire.indexOf(exchange) >= before);
  same('The first answer', after[0]?.logged.status, status);
  const replayed = after.filter((exchange) => methodOf(exchange) === 'initialize');
  same('Replayed initialize requests', replayed.length, 1);
  same('The replayed parameters', JSON.parse(replayed[0]?.sent ?? '{}').params, JSON.parse(first?.sent ?? '{}').params);
  const calls = after.filter((exchange) => exchange.sent === after[0]?.sent);
  same('Times that the request was sent', calls.length, 2);
  holds(
    sessionId(calls[1] ?? first ?? (calls[0] as Exchange)) !== sessionId(calls[0] as Exchange),
    'The session id is the old one.',
  );
}

/** Session ids, and what happens at their end. */
export const endpointsSessions: Requirement[] = [
  ...heading(DOCUMENT, 3, 'Session', [
    {
      says: 'The server issues a session id; each later request carries it.',
      show: async (scene) => {
        await scene.runsOn(await scene.connect('ana'), 'Starter Warehouse');
        const [first, ...later] = posts(scene);
        const issued = first?.answerHeaders['mcp-session-id'];
        holds(typeof issued === 'string' && first && sessionId(first) === undefined, 'No id was issued.');
        same('The ids sent', [...new Set(later.map(sessionId))], [issued]);
      },
    },
  ]),
  ...heading(DOCUMENT, 4, 'States and transitions', [
    {
      says: 'None to active: `initialize` is accepted with an id, which the caller keeps.',
      show: async (scene) => {
        const agent = await scene.connect('ana');
        await scene.tools(agent);
        await scene.tools(agent);
        same('Sessions opened', posts(scene, 'initialize').length, 1);
      },
    },
    { says: 'Active to expired: 404 for a request with an id.', show: (scene) => survives(scene, 404) },
    { says: 'Active to expired: 410 for a request with an id.', show: (scene) => survives(scene, 410) },
    {
      says: 'Expired to active: `initialize` is replayed, the request sent again once, and the client sees no error.',
      show: async (scene) => {
        await survives(scene, 404);
        await survives(scene, 410);
      },
    },
  ]),
];

/** Requests and answers of the four servers. */
export const endpointsMessages: Requirement[] = heading(DOCUMENT, 5, 'Endpoints', [
  {
    says: 'All four servers take POST at their path.',
    show: async (scene) => {
      for (const path of FOUR) {
        await scene.tools(await scene.connect('ana', path));
        same(
          `Answers of ${path}`,
          scene.look({ method: 'POST', path }).every(({ logged }) => logged.status === 200 || logged.status === 202),
          true,
        );
      }
    },
  },
  {
    says: 'Header Content-Type: application/json.',
    show: async (scene) => headers(scene, (exchange) => exchange.logged.headers['content-type'], 'application/json'),
  },
  {
    says: 'Header Accept: both JSON and event streams.',
    show: async (scene) =>
      headers(scene, (exchange) => exchange.logged.headers.accept, 'application/json, text/event-stream'),
  },
  {
    says: 'Header Authorization: a bearer token.',
    show: async (scene) => headers(scene, (exchange) => exchange.authorization, 'Bearer <PERSONAL_ACCESS_TOKEN>'),
  },
  {
    says: 'Header Mcp-Session-Id, as soon as there is one.',
    show: async (scene) => {
      await scene.tools(await scene.connect('ana'));
      const [first, ...later] = posts(scene);
      same('Without it', first && sessionId(first), undefined);
      same(
        'With it',
        later.every((exchange) => sessionId(exchange) === first?.answerHeaders['mcp-session-id']),
        true,
      );
    },
  },
  {
    says: 'The body is a JSON-RPC 2.0 frame whose id is a number or a text, which the answer repeats.',
    show: async (scene) => {
      const agent = await scene.connect('ana');
      for (const id of [7, 'seven']) same('The answer’s id', (await scene.ask(agent, id, 'tools/list', {})).id, id);
      for (const exchange of posts(scene)) {
        const { jsonrpc, method, id } = JSON.parse(exchange.sent);
        same('The version', jsonrpc, '2.0');
        holds(typeof method === 'string', 'A frame has no method.');
        holds(['string', 'number', 'undefined'].includes(typeof id), 'An id is neither number nor text.');
      }
    },
  },
  {
    says: '`initialize` takes protocolVersion, capabilities and clientInfo, and gives serverInfo and capabilities.',
    show: async (scene) => {
      const agent = scene.spawn('--profile', 'ana', '--path', SQL);
      const clientInfo = { name: 'acceptance', version: '1.0.0' };
      const { result } = await scene.ask(agent, 1, 'initialize', {
        protocolVersion: '2024-11-05',
        capabilities: {},
        clientInfo,
      });
      holds(result?.serverInfo && result.capabilities, 'serverInfo or capabilities are missing.');
      await scene.tools(agent);
      const [first] = posts(scene, 'initialize');
      const { params } = JSON.parse(first?.sent ?? '{}');
      same(
        'The names',
        ['protocolVersion', 'capabilities', 'clientInfo'].filter((name) => !(name in (params ?? {}))),
        [],
      );
    },
  },
  {
    says: '`tools/call` takes a tool’s name and arguments, and gives its result.',
    show: async (scene) => {
      const params = { name: 'main__default__initials', arguments: { full_name: 'Ana Ferreira' } };
      const { result } = await scene.ask(await scene.connect('ana', FUNCTIONS), 1, 'tools/call', params);
      holds(JSON.stringify(result).includes('AF'), 'The function’s result is missing.');
      const call = scene
        .look({ method: 'POST', path: FUNCTIONS })
        .find((exchange) => methodOf(exchange) === 'tools/call');
      const sent = JSON.parse(call?.sent ?? '{}').params;
      same('Sent', { name: sent?.name, arguments: sent?.arguments }, params);
    },
  },
  { says: 'Lists, names and schemas of the servers’ tools are not given.', why: LEFT_OUT.silence },
  {
    says: 'An answer of application/json is one frame.',
    workspace: { mcp: { answers: 'json' } },
    show: async (scene) => {
      await scene.runsOn(await scene.connect('ana'), 'Starter Warehouse');
      const answers = posts(scene).filter(({ answered }) => answered !== '');
      for (const { answerHeaders, answered } of answers) {
        same('The content type', String(answerHeaders['content-type']).split(';')[0], 'application/json');
        JSON.parse(answered);
      }
      holds(answers.length > 0, 'There was no answer.');
    },
  },
  {
    says: 'An answer of text/event-stream is events with a frame each, which the proxy takes apart.',
    workspace: { mcp: { answers: 'sse' } },
    show: async (scene) => {
      const agent = await scene.connect('ana');
      await scene.ok('warehouse', 'set', 'Data science');
      const params = { name: 'execute_sql', arguments: { query: 'SELECT 1' }, _meta: { progressToken: 'watch' } };
      const linesBefore = agent.lines.length;
      await scene.ask(agent, 'watched', 'tools/call', params);
      const call = posts(scene, 'tools/call').at(-1);
      const events = (call?.answered ?? '').split(/\r?\n\r?\n/).filter((event) => /^data: ?\S/m.test(event));
      same('Events', events.length, 2);
      const lines = agent.lines.slice(linesBefore);
      scene.note('The lines of stdout', lines.join('\n'));
      same(
        'Lines',
        lines.map((line) => JSON.parse(line).method ?? 'answer'),
        ['notifications/progress', 'answer'],
      );
    },
  },
]);

async function headers(
  scene: Scene,
  header: (exchange: Exchange) => string | undefined,
  expected: string,
): Promise<void> {
  await scene.runsOn(await scene.connect('ana'), 'Starter Warehouse');
  const seen = posts(scene).map(header);
  same('Seen', [...new Set(seen)], [expected]);
}
