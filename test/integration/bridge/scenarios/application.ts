import { REMOTE, type Scenario } from './scenario.ts';

const INSTANT = 'bridge/scenarios/slow-workspace.test.ts';
const OFFICIAL = 'proxy/official-client.test.ts';
const NETWORK = 'proxy/network.test.ts';

/** What holds where the workspace, the network or someone's sign-in is missing. */
export const NO_CONNECTION: Scenario[] = [
  {
    demand: 'a slow workspace: known answers at once, the session behind their back, a word when the tools differ',
    proofs: [
      [
        INSTANT,
        'in time is answered from the cache; a call waits for the session, and a list that differs is announced',
      ],
      ['bridge/answer-cache.test.ts', 'make a call wait for at most 20 seconds, and its result then says what to do'],
    ],
  },
  {
    demand:
      'an unreachable workspace, or a sign-in that it refuses: tools at once, and calls say in a result what to do',
    proofs: [[INSTANT, '%s has its tools, and a call says in its result what to do']],
  },
  {
    demand: 'probes that need no server are answered at once',
    proofs: [[INSTANT, 'a ping that needs no server is answered without one']],
  },
  {
    demand: 'a sign-in page, a page where JSON was due, a captive portal, a private link are recognised and named',
    proofs: [
      [OFFICIAL, 'a redirect to a sign-in page'],
      [OFFICIAL, 'a private link'],
      [OFFICIAL, 'a page with 502'],
      ['proxy/odd-servers.test.ts', 'a sign-in page that is labeled as JSON'],
      ['proxy/odd-servers.test.ts', 'a network that requires a login'],
      ['proxy/odd-servers.test.ts', 'a redirect is not followed, and the token goes nowhere else'],
    ],
  },
  {
    demand: 'company proxies and company certificates',
    seen: 'https://github.com/upstash/context7/pull/2271',
    proofs: [
      [NETWORK, 'is reached with %s and %s'],
      [NETWORK, 'is not trusted without the certificate authority, and gets no token'],
    ],
  },
  {
    demand: 'a command that starts from folders with spaces',
    seen: 'https://github.com/anthropics/claude-ai-mcp/issues/891',
    proofs: [['clients/launcher.test.ts', 'a script in a folder with spaces starts through a link without']],
  },
];

const HUB = 'hub/hub.test.ts';
const KILLED = 'hub/killed.test.ts';
const SHARED = 'hub/shared.test.ts';

/** What holds where proxies go through the running application. */
export const APPLICATION: Scenario[] = [
  {
    demand: 'the socket is of this user alone: a folder and a secret of its own, nobody unproven stays, no TCP port',
    proofs: [
      [HUB, 'needs a file that only this user can read, and a file that others could write is not trusted'],
      [HUB, 'needs a new address and secret after each start'],
      [HUB, 'is refused without the secret, or after a second of silence'],
      [SHARED, 'the application opens no TCP port'],
    ],
  },
  {
    demand: 'what a killed application left is replaced, and what belongs to somebody else is refused',
    proofs: [
      [HUB, 'a second hub is refused while the first is alive, and replaces one that was killed'],
      [HUB, 'a folder that leads elsewhere is not used, and this is reported'],
      [HUB, 'the folder of another user is not used, and its file is not trusted'],
    ],
  },
  {
    demand: 'an application that goes mid-session costs its clients nothing but answers that nobody knows',
    proofs: [
      [HUB, 'the proxy continues alone, the client sees no error, and open idempotent requests are sent again'],
      [HUB, 'the proxy attaches again when the application restarts at once'],
      [HUB, 'a call of unknown outcome is answered with an error that says so, and is not sent again'],
      [KILLED, 'continues %s: its subscriptions and log level stay'],
      [KILLED, 'is opened without it if it was not open yet, and the client is answered once'],
      [KILLED, 'still gets answers to idempotent requests after the client has closed its end'],
      [KILLED, 'gets an error for each outstanding call of a batch that says what is unknown'],
    ],
  },
  {
    demand: 'a proxy and an application of different versions get along, or the proxy works alone',
    proofs: [
      ['hub/versions.test.ts', 'that has %s works alone, and writes nothing to stderr'],
      ['hub/versions.test.ts', 'whose file is of the previous protocol works alone, and sends it nothing'],
      ['hub/versions.test.ts', 'of the same protocol goes through it, whatever else it says'],
      ['hub/versions.test.ts', '%s closes the connection without an answer, so that the proxy works alone'],
      ['hub/versions.test.ts', 'of the same protocol serves it, whatever else it says'],
    ],
  },
  {
    demand: 'many clients share connections and a token, and each has a session and a share of the workspace',
    seen: `${REMOTE}/issues/251`,
    proofs: [
      [SHARED, 'many proxies of one profile share one token and few connections, and have a session each'],
      [
        'hub/many-calls.test.ts',
        'a client with a thousand calls in flight has a limited share of the workspace, and others are served meanwhile',
      ],
    ],
  },
  {
    demand: 'who asks what and how it went is known, and nothing of what was given and returned is written down',
    proofs: [
      [
        'hub/sessions.test.ts',
        'the application knows which clients are attached, what they call and with which result, and when they disconnect',
      ],
      [SHARED, 'nothing that a call sent or returned is written to disk'],
    ],
  },
  {
    demand: 'a client that is killed is gone at once, and its open calls are taken back at the server',
    proofs: [
      ['proxy/ends.test.ts', 'has its open call canceled, and not waited for, by kill -9'],
      [
        'hub/sessions.test.ts',
        'a client that is killed with an open call is gone at once, and the call is canceled at the server',
      ],
    ],
  },
  {
    demand: 'after sleep and in another network neither calls nor tokens wait for connections that lead nowhere',
    proofs: [
      ['hub/renewal.test.ts', 'in another network, calls do not wait for dead connections'],
      ['hub/renewal.test.ts', 'in another network, a token is requested over a new connection, too'],
      ['platform/connections.test.ts', 'are reopened for the first request after a sleep that was not reported'],
      ['hub/renewal.test.ts', 'a monitored server is ready again soon after the network has changed'],
    ],
  },
];
