import { APPLICATION, NO_CONNECTION } from './application.ts';
import { REMOTE, type Scenario } from './scenario.ts';

const DEATH = 'bridge/scenarios/lost-sessions.test.ts';
const STREAMS = 'bridge/scenarios/streams.test.ts';
const REVISIONS = 'bridge/scenarios/revisions.test.ts';
const PRESSURE = 'bridge/scenarios/pressure.test.ts';
const OFFICIAL = 'proxy/official-client.test.ts';
const STDIO = 'proxy/stdio.test.ts';
const ENDS = 'proxy/ends.test.ts';
const PAUSED = 'proxy/back-pressure.test.ts';
const MANY = 'auth/many-processes.test.ts';

const SIGN_IN: Scenario[] = [
  {
    demand: 'nobody signs in again every hour: a token is renewed before it ends, and before any browser opens',
    seen: `${REMOTE}/issues/273`,
    proofs: [
      ['auth/tokens.test.ts', 'is refreshed five minutes before it expires, once for all callers in all processes'],
      [OFFICIAL, 'when its access token expires: another one is requested, once'],
    ],
  },
  {
    demand: 'one renewal of a rotating token, however many requests and processes were refused with the old one',
    seen: `${REMOTE}/issues/318; of eight concurrent 401s, mcp-remote makes eight renewals, and none succeeds`,
    proofs: [
      [MANY, 'with a token that the workspace refuses make one refresh, and all answer'],
      [MANY, 'with an expired token make one refresh, and all answer'],
    ],
  },
  {
    demand: 'a client that starts each server several times has one page in the browser, not one for each',
    seen: `${REMOTE}/issues/251; mcp-remote opens up to 21 pages`,
    proofs: [[MANY, 'without a token open one page in the browser, and all answer']],
  },
  {
    demand: 'a proxy that is killed while somebody signs in leaves no lock and no taken port',
    seen: `${REMOTE}/pull/320`,
    proofs: [
      ['auth/killed.test.ts', 'a sign-in leaves a profile that works or is signed out, no lock and no taken port'],
    ],
  },
  {
    demand: 'a taken port opens no page and starts no loop',
    seen: `${REMOTE}/pull/262`,
    proofs: [
      [
        'auth/callback-listener.test.ts',
        'uses the next port if one is taken on either address, and releases its own at once',
      ],
    ],
  },
  {
    demand:
      'the addresses of a sign-in are on the workspace itself, whatever it says: no other program is started with one',
    seen: 'CVE-2025-6514',
    proofs: [
      ['auth/credentials.test.ts', 'go only to the workspace: not to a redirect, and not to where its metadata points'],
    ],
  },
];

const SESSIONS: Scenario[] = [
  {
    demand: 'a session that is gone, however that is spelled, costs sixteen concurrent calls one new one',
    seen: `${REMOTE}/issues/106, https://github.com/apache/rocketmq-dashboard/issues/4880, https://github.com/aklivity/zilla/issues/2525; mcp-remote loses 7 of 16 calls, begins 5 sessions and does not know 410`,
    proofs: [
      [DEATH, '(%s) costs sixteen calls one new session: sixteen answers, no call run twice'],
      [DEATH, 'is judged by the session that a request carried: a late refusal costs no other session'],
      [OFFICIAL, 'when its session expires mid-use (%i), not even under ten concurrent calls'],
    ],
  },
  {
    demand: 'new frames wait while a session is replaced, and nothing overtakes initialized',
    seen: 'https://github.com/joshrotenberg/tower-mcp/issues/458, https://github.com/php-mcp/server/issues/83',
    proofs: [
      [DEATH, 'holds new frames while it is replaced, and sends none before the server has accepted initialized'],
    ],
  },
  {
    demand: 'frames in one write with initialize are held until it is answered',
    proofs: [[DEATH, 'frames that are written together with initialize wait for it, and for initialized']],
  },
  {
    demand: 'what the old session had granted (resources to follow, how much of the log) is asked for again',
    proofs: [
      ['bridge/recovery.test.ts', 'is replaced by one with the same subscriptions and log level'],
      ['hub/killed.test.ts', 'continues %s: its subscriptions and log level stay'],
    ],
  },
  {
    demand: 'a 404 for an unknown method is no end of a session; another id in an answer is no new session',
    seen: 'the official client takes a session id from any answer',
    proofs: [
      [DEATH, 'is not assumed if a server without sessions answers 404 to an unknown method'],
      [DEATH, 'is not replaced by one that another answer names'],
    ],
  },
  {
    demand: 'a server that forgets session after session is named as such',
    proofs: [[DEATH, 'gives up with an explanation on a call for which three sessions in a row were lost']],
  },
  {
    demand: 'the session is ended at the server when the client goes, and answers under way are delivered first',
    seen: 'mcp-remote never ends a session and loses what is in flight when stdin ends',
    proofs: [
      [ENDS, 'delivers the outstanding answers first, then deletes the session and ends with 0'],
      [ENDS, 'right after the whole conversation still gets every answer'],
    ],
  },
  {
    demand: 'no process outlives its client: closed pipes, signals, a parent that was killed',
    seen: `${REMOTE}/issues/64, https://github.com/anthropics/claude-code/issues/1935`,
    proofs: [
      [ENDS, '%s ends it with 0 and deletes the session'],
      [ENDS, 'ends the proxy by kill -9, even though the proxy’s stdin is still open'],
      [ENDS, 'ends the proxy with exit code 0 and no message by closing stdout and then stdin'],
    ],
  },
];

const STREAMING: Scenario[] = [
  {
    demand:
      "the server's own stream is opened after initialized and resumed from its last event after the wait asked for",
    proofs: [[STREAMS, 'is opened after initialized, and resumed from its last event after the requested delay']],
  },
  {
    demand: 'that stream comes back after an outage of any length',
    seen: 'in mcp-remote it never returns after nine seconds',
    proofs: [[STREAMS, 'comes back after an outage of twelve seconds']],
  },
  {
    demand: 'a server without such a stream is no error',
    proofs: [[STREAMS, 'is not required: a server without it (%i) works']],
  },
  {
    demand: 'an answer whose stream is cut is read on where events are numbered, each at the pace that it was told',
    seen: 'the official client keeps one wait for all streams',
    proofs: [[STREAMS, 'is resumed if the server numbers its events, each answer at its own pace']],
  },
  {
    demand: 'a request whose stream ends without its answer is settled with an error: no id hangs',
    seen: 'https://github.com/modelcontextprotocol/typescript-sdk/issues/2739; mcp-remote hangs for ever',
    proofs: [[STREAMS, 'leaves no request without an answer if the server does not number its events: it %s']],
  },
  {
    demand: 'sampling, elicitation, roots, progress, cancellation, logging and list changes pass both ways untouched',
    seen: 'proxies that read frames by a schema drop what they do not know',
    proofs: [
      [STREAMS, "reach the client unchanged and in order: the server's requests, progress, log and list changes"],
      [STREAMS, "reach the server unchanged: the client's answers, cancellations and notifications"],
    ],
  },
  {
    demand: 'no silence that is shorter than what servers need ends an answer, and progress begins it anew',
    seen: 'https://github.com/modelcontextprotocol/typescript-sdk/issues/1211: cut after five minutes',
    proofs: [
      ['proxy/odd-servers.test.ts', 'is answered with an explanation, once the bridge has waited long enough'],
      ['proxy/odd-servers.test.ts', 'does not count if progress arrives, however long the answer takes'],
      [PRESSURE, 'an idle connection is checked by TCP keep-alive'],
      [OFFICIAL, 'a stall in the middle of an answer'],
    ],
  },
];

const BOTH_REVISIONS: Scenario[] = [
  {
    demand: 'a client with sessions before a stateless server: opened from server/discover, the revision remembered',
    proofs: [
      [
        REVISIONS,
        'is opened from server/discover, which is asked at once for the next client; nothing is deleted at the end',
      ],
      ['proxy/revisions.test.ts', 'lists tools and runs one, answered as %s'],
    ],
  },
  {
    demand: 'results that ask for input become requests; the state is echoed byte for byte under a new id',
    proofs: [
      [
        REVISIONS,
        'answers what the server asks inside its results, with the state echoed byte for byte under a new id',
      ],
    ],
  },
  {
    demand: 'subscriptions/listen in place of the listening stream, again after it was cut',
    proofs: [[REVISIONS, 'listens through subscriptions/listen, and again after the stream was cut']],
  },
  {
    demand: 'cancelling closes the stream; unknown methods are told; batches are taken apart where there are none',
    proofs: [[REVISIONS, 'cancels by closing, gets 404 for an unknown method, and gets a batch answered as one']],
  },
  {
    demand: 'a stateless client before a server with sessions: what that asks comes in results, round by round',
    proofs: [
      [REVISIONS, 'is asked in results, round by round, within the session that the bridge has opened'],
      [REVISIONS, 'no longer follows a resource after it stops listening to it'],
      ['proxy/revisions.test.ts', 'lists tools and runs one at a server of the %s revision'],
    ],
  },
  {
    demand: 'an address that somebody has to open is asked for as each revision does: by an error, or in a result',
    proofs: [
      [REVISIONS, 'is asked in a result to open what the server names in an error that the revision no longer has'],
      ['bridge/url-elicitation.test.ts', 'that opens addresses gets that error unchanged: it is from its own revision'],
      ['bridge/url-elicitation.test.ts', 'reads the address in the message'],
    ],
  },
  {
    demand: 'batches pass as they are where the revision has them',
    proofs: [[REVISIONS, 'batches are sent as one request if the revision has them, and come back as one frame']],
  },
];

const UNDER_PRESSURE: Scenario[] = [
  {
    demand: '429 and 503 with Retry-After are waited out, and the call runs once',
    seen: 'no proxy that was measured does',
    proofs: [
      [PRESSURE, 'a call that is deferred (%s) is sent again when allowed, and runs once'],
      [OFFICIAL, '429 with Retry-After'],
    ],
  },
  {
    demand: 'a reader that pauses, or a client that floods, does not fill the memory',
    seen: 'https://github.com/supercorp-ai/supergateway/issues/108; 592 to 868 MB in the proxies that were measured',
    proofs: [
      [PAUSED, 'does not make 160 answers of 1 MiB (%s, %s) stay in memory, and gets them all later'],
      [
        PAUSED,
        'has to wait: only a limited number of its requests are in flight, and all are answered in the end (%s)',
      ],
    ],
  },
  {
    demand: 'frames of 64 MiB pass both ways',
    seen: 'a frame over 10 MiB wedges mcp-remote',
    proofs: [
      [STDIO, 'of 64 MiB pass both ways, byte for byte'],
      [STDIO, 'of 64 MiB pass as one event, too'],
      ['hub/shared.test.ts', 'frames of 64 MiB pass through the application both ways, byte for byte'],
    ],
  },
  {
    demand: 'lines that are no frames are answered, and the session goes on',
    seen: 'they vanish in mcp-remote',
    proofs: [[STDIO, 'gets an error for an invalid frame, and the session continues']],
  },
  {
    demand: 'request ids of every legal kind, and servers that mangle them',
    proofs: [
      [
        PRESSURE,
        'request ids of every valid kind come back as they were written, even from a server that mangles them',
      ],
    ],
  },
  {
    demand: 'thousands of calls write nothing to stderr',
    seen: 'the official client warns of a listener for each call',
    proofs: [[PRESSURE, 'three thousand calls, hundreds at a time, write nothing to stderr']],
  },
  {
    demand: 'many proxies share one upstream, and leave nothing when they go',
    seen: 'https://github.com/openai/codex/issues/12491',
    proofs: [['hub/thousand.test.ts', 'a thousand proxies that start and end, three times over, leave nothing behind']],
  },
];

/** All of them. */
export const SCENARIOS: Record<string, Scenario[]> = {
  'signing in': SIGN_IN,
  sessions: SESSIONS,
  streams: STREAMING,
  'both revisions': BOTH_REVISIONS,
  pressure: UNDER_PRESSURE,
  'no connection': NO_CONNECTION,
  'the application': APPLICATION,
};
