import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bridgeTo } from './harness.ts';
import { json, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

/** JSON texts that a round through JSON.parse and JSON.stringify would change: odd numbers, spacing, escapes, key order. */
const awkward = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.constantFrom('18446744073709551617', '1.0', '1e2', '-0', '"\\u0041\\/"', '{ "b" : 1 , "a" : 2 }', '[1.10,\t2]'),
  fc.string({ unit: 'grapheme', maxLength: 200 }).map((text) => JSON.stringify(text)),
);

const frames = fc.array(fc.tuple(awkward, awkward, fc.boolean()), { minLength: 1, maxLength: 12 }).map((entries) =>
  entries.map(([sent, answered, spaced], at) => ({
    id: `call-${at}`,
    sent: `{${spaced ? ' ' : ''}"jsonrpc":"2.0","method":"tools/call","params":${sent},"id":"call-${at}"}`,
    answered: `{"result":${answered},"id":"call-${at}",${spaced ? '\t' : ''}"jsonrpc":"2.0","x-unknown":${sent}}`,
  })),
);

let server: ScriptedServer;
let answers = new Map<string, { text: string; form: string; cuts: number[] }>();

beforeAll(async () => {
  server = await startScriptedServer(async ({ frame }, response) => {
    const answer = answers.get(String(frame?.id));
    if (!answer) return json(response, { unexpected: frame });
    const whole =
      answer.form === 'json'
        ? Buffer.from(answer.text)
        : Buffer.from(`: hello\r\nid: 7\r\ndata: ${answer.text}\r\n\r\n`);
    response.writeHead(200, { 'content-type': answer.form === 'json' ? 'application/json' : 'text/event-stream' });
    let from = 0;
    for (const cut of answer.cuts.map((share) => Math.floor(share * whole.length)).sort((a, b) => a - b)) {
      if (cut > from) await new Promise((done) => response.write(whole.subarray(from, cut), done));
      from = Math.max(from, cut);
    }
    response.end(whole.subarray(from));
  });
});
afterAll(() => server.close());

it('random frames that are split at random bytes in both directions arrive complete, once and byte for byte', async () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  await fc.assert(
    fc.asyncProperty(
      frames,
      fc.array(share, { maxLength: 20 }),
      fc.array(share, { maxLength: 6 }),
      fc.constantFrom('json', 'events'),
      fc.constantFrom('\n', '\r\n', '\n\n'),
      async (calls, cutsIn, cuts, form, lineEnd) => {
        answers = new Map(calls.map(({ id, answered }) => [id, { text: answered, form, cuts }]));
        server.arrivals.length = 0;
        const client = await bridgeTo(server.origin);
        const input = Buffer.from(calls.map(({ sent }) => sent + lineEnd).join(''));
        let from = 0;
        for (const cut of cutsIn.map((at) => Math.floor(at * input.length)).sort((a, b) => a - b)) {
          client.push(input.subarray(from, cut));
          from = cut;
        }
        client.push(input.subarray(from));
        await client.sink.until(calls.length);
        await client.bridge.finish(1_000);
        const sorted = (texts: string[]) => texts.sort();
        expect(sorted(server.arrivals.map(({ body }) => body.toString()))).toEqual(
          sorted(calls.map(({ sent }) => sent)),
        );
        expect(sorted(client.sink.frames.map(String))).toEqual(sorted(calls.map(({ answered }) => answered)));
        await client.close();
      },
    ),
    { numRuns: 300 },
  );
}, 120_000);
