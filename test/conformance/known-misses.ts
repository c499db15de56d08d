/** Scenarios that say nothing about a proxy, by the beginning of their names, and why. They are not compared. */
export const NOT_OURS: [scenario: string, why: string][] = [
  [
    'auth/',
    "How an MCP client finds an authorization server that it does not know, registers there and asks for scopes. Causeway signs in to workspaces, whose authorization server is on the workspace's own host under /oidc and knows its public client already (test/integration/auth); the bridge is given a token. A service's token, which `client-credentials-basic` is about, is asked for in the same way: it could only be met with something in between that finds the server in Causeway's place, and then that would be tested.",
  ],
  [
    'sse-retry:client-sse-retry-timing',
    'Measures with a clock, and passes within 50 ms before and 200 ms after the time that the server has named. On a busy computer it passes or warns by chance, without the proxy as well. That the time is kept is shown without a clock (test/unit/bridge/server-stream.test.ts).',
  ],
  [
    'sep-2640-',
    'An extension for what a client does with skills that it reads: nothing of it passes a proxy differently.',
  ],
];

const NO_HTTP_SERVER =
  "Asks of an HTTP server that it checks Host, Origin or the headers that repeat the body. What a client speaks to is stdio, which has no headers; the HTTP in front is these tests' own.";

const FIRST_LIST =
  'The suite lists the tools once. The server needs longer than clients wait, so its client gets one tool that says so, and is notified that the list has changed as soon as the server has answered.';

/** What fails with the proxy in between and not without: by the beginning of a run's name and of `scenario:check`, and why. */
export const KNOWN_MISSES: [run: string, check: string, why: string][] = [
  ['', 'dns-rebinding-protection:localhost-host-rebinding-rejected', NO_HTTP_SERVER],
  ['2026-07-28 servers', 'server-stateless:sep-2575-http-server-header-mismatch-400', NO_HTTP_SERVER],
  ['2026-07-28 servers', 'http-header-validation:', NO_HTTP_SERVER],
  ['2026-07-28 servers, tasks', 'tasks-request-headers:', NO_HTTP_SERVER],
  [
    '2025-11-25 servers',
    'server-sse-polling:',
    'The server closes the stream of an answer and is polled for the rest. The bridge does that polling, and the client gets its answer at once and whole: on stdio there is no stream to close.',
  ],
  [
    '2026-07-28 servers, one with sessions behind',
    'input-required-result-basic-elicitation:',
    'Wants a question by the name "user_name". In a session questions have no names; the bridge gives them some.',
  ],
  ['2025-11-25 servers, 3 s late', 'json-schema-2020-12:', FIRST_LIST],
  ['2025-11-25 clients, 3 s late', 'json-schema-2020-12-preservation:', FIRST_LIST],
];
