import { describe, expect, it } from 'vitest';
import { asked, opened } from './connected.ts';
import { events, json, session } from './scripted-server.ts';

const own = (id: unknown) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: `for ${id}` }] } });
const text = (id: unknown) => ({ content: [{ type: 'text', text: `for ${id}` }] });

describe('an answer whose id is the text of the number', () => {
  it.each(['json', 'events'])('is delivered under the request’s own id (%s)', async (how) => {
    const client = await opened(
      session(({ frame }, response) => {
        const answer = own(String(frame?.id));
        if (how === 'json') json(response, answer);
        else events(response, answer);
      }),
    );
    // The client uses the same text as an id, before and after.
    for (const id of ['7', 7, '7', 7]) {
      const before = asked(client, id).length;
      client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'a' } });
      await expect.poll(() => asked(client, id)).toHaveLength(before + 1);
      expect(JSON.parse(asked(client, id)[before] ?? '')).toEqual({ jsonrpc: '2.0', id, result: text(id) });
    }
  });

  it('is delivered to each of two requests whose ids differ in that only, at once', async () => {
    let answerBoth = () => {};
    let arrived = 0;
    const both = new Promise<void>((resolve) => {
      answerBoth = resolve;
    });
    const client = await opened(
      session(async ({ frame }, response) => {
        arrived += 1;
        if (arrived === 2) answerBoth();
        await both;
        const answer = { ...own(String(frame?.id)), result: { kind: typeof frame?.id } };
        json(response, answer);
      }),
    );
    const answers = await Promise.all([client.request(7, 'tools/call'), client.request('7', 'tools/call')]);
    expect(answers.map(({ result }) => result)).toEqual([{ kind: 'number' }, { kind: 'string' }]);
    expect([...asked(client, 7), ...asked(client, '7')]).toHaveLength(2);
  });
});

describe('an answer with several ids', () => {
  it.each([
    ['before its result', '"id":"other","id":1,"result":{"a":1}'],
    ['around it', '"id":"other","result":{"a":1},"id":1'],
    ['one of them escaped', '"\\u0069d":"other","id":1,"result":{"a":1}'],
  ])('reaches the client with the last one alone: %s', async (_where, members) => {
    const client = await opened(
      session((_arrival, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(`{"jsonrpc":"2.0",${members}}`);
      }),
    );
    await client.request(1, 'tools/call');
    expect(asked(client, 1)).toEqual(['{"jsonrpc":"2.0","id":1,"result":{"a":1}}']);
  });
});
