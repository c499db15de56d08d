import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { type CallbackListener, listenForCallback, requestTarget } from '../../main/auth/oauth/callback-listener.ts';
import { fuzzProperty } from './property.ts';

const PORTS = Array.from({ length: 200 }, (_, index) => 19_100 + index);
const STATE = 'the-state-that-nobody-can-guess';

const host: fc.Arbitrary<string | undefined> = fc.constantFrom(
  'localhost:8020',
  'localhost',
  'evil.example',
  '',
  undefined,
);
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'CONNECT', 'get', '');
const url = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.string(),
  fc
    .array(
      fc.constantFrom('/', '//', '?', '#', '%', '[', '@', 'http://', 'localhost:8020', '\\', 'code=', '&', 'state='),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
);

fuzzProperty<[string, string, string | undefined]>(
  'the sign-in’s listener decides every request without throwing, and takes a code only from its own page',
  [method, url, host],
  (verb, target, name) => {
    const found = requestTarget({ method: verb, url: target, headers: { host: name } }, 8020);
    if (typeof found === 'number') assert.ok(found >= 400 && found < 600);
    else {
      assert.equal(verb, 'GET');
      assert.equal(name, 'localhost:8020');
      assert.match(target, /^(http:\/\/localhost:8020)?\/([?#]|$)/);
    }
  },
  {
    weight: 2,
    examples: [
      ['GET', '//', 'localhost:8020'],
      ['GET', 'http://[', 'localhost:8020'],
    ],
  },
);

let listener: CallbackListener;
let port = 0;
let isAnswered = false;

const bytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc
    .tuple(
      fc.constantFrom('GET', 'POST', 'CONNECT', 'PRI', 'G', '\0'),
      url,
      fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/', ''),
      fc.array(
        fc.constantFrom(
          'Host: localhost:PORT',
          'Host: evil.example',
          'Content-Length: 5',
          'Content-Length: -1',
          'Transfer-Encoding: chunked',
          'Connection: keep-alive',
          'Expect: 100-continue',
          'Upgrade: h2c',
          ' folded: x',
          `X: ${'x'.repeat(5000)}`,
          'Sec-Purpose: prefetch',
        ),
        { maxLength: 5 },
      ),
      fc.constantFrom('\r\n\r\n', '\n\n', '\r\n', '', '\r\n\r\nzz\r\n'),
    )
    .map(([verb, target, version, headers, end]) =>
      Buffer.from(`${[`${verb} ${target} ${version}`, ...headers].join('\r\n')}${end}`),
    ),
);

/** What is sent on one connection, one request or what looks like one after the other, and where it is cut in two. */
const conversation: fc.Arbitrary<Uint8Array> = fc
  .array(bytes, { minLength: 1, maxLength: 3 })
  .map((parts) => Buffer.concat(parts));
const cut = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(200));

fuzzProperty<[Uint8Array, number]>(
  'no bytes that are sent to the sign-in’s listener end it or answer it',
  [conversation, cut],
  async (raw, at) => {
    const sent = Buffer.from(Buffer.from(raw).toString('latin1').replaceAll('PORT', String(port)), 'latin1');
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => {});
    socket.resume();
    if (at > 0) socket.write(sent.subarray(0, at));
    socket.end(sent.subarray(at));
    await new Promise((resolve) => socket.once('close', resolve));
    assert.equal(isAnswered, false);
  },
  {
    weight: 2.6,
    before: async () => {
      listener = await listenForCallback({ ports: PORTS, state: STATE, onStray: () => {} });
      port = Number(new URL(listener.redirectUri).port);
      isAnswered = false;
      void listener.answer.then(() => {
        isAnswered = true;
      });
    },
    after: async () => {
      // It still listens, and on both addresses.
      for (const address of ['127.0.0.1', '::1']) {
        const socket = connect(port, address);
        await once(socket, 'connect');
        socket.destroy();
      }
      // And the answer of the browser still arrives.
      const browser = new AbortController();
      fetch(`${listener.redirectUri}/?code=the-code&state=${STATE}`, { signal: browser.signal }).catch(() => {});
      assert.equal((await listener.answer).parameters.get('code'), 'the-code');
      browser.abort();
      await listener.close();
    },
    examples: [
      [Buffer.from('GET // HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n'), 0],
      [Buffer.from('GET http://[ HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n'), 0],
    ],
  },
);
