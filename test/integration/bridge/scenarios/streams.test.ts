import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { orderly, result, type Script } from '../scripted-server.ts';
import { event, events, Stage } from './hostile.ts';

const stage = new Stage();
afterEach(() => stage.close());

const said = (text: string) => `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${text}","n":1.0}}`;

/** An orderly server whose own stream a test writes. */
function withStream(onGet: Script, onCall?: Script): Script {
  const { script } = orderly(onCall ? { onCall } : {});
  return (arrival, response) => (arrival.method === 'GET' ? onGet(arrival, response) : script(arrival, response));
}

describe("the server's own stream", () => {
  it('is opened after initialized, and resumed from its last event after the requested delay', async () => {
    let connections = 0;
    const { server, proxy } = await stage.begin(
      withStream(async (_arrival, response) => {
        connections += 1;
        await events(response, `retry: 20\n${event(said(`${connections}`), `${connections}`)}`);
        if (connections < 3) response.destroy();
      }),
    );
    await proxy.open();
    await proxy.until(4);
    expect(proxy.frames.slice(1).map(String)).toEqual(['1', '2', '3'].map(said));
    const gets = server.arrivals.filter(({ method }) => method === 'GET');
    expect(gets.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1', '2']);
    expect(server.arrivals.map(({ method, frame }) => frame?.method ?? method).slice(0, 3)).toEqual([
      'initialize',
      'notifications/initialized',
      'GET',
    ]);
  });

  it('comes back after an outage of twelve seconds', async () => {
    const began = Date.now();
    let isBack = false;
    const { proxy } = await stage.begin(
      withStream((_arrival, response) => {
        if (Date.now() - began < 12_000) return void response.destroy();
        isBack = true;
        return events(response, event(said('back')));
      }),
    );
    await proxy.open();
    await proxy.until(2);
    expect(isBack).toBe(true);
    expect(String(proxy.frames[1])).toBe(said('back'));
  });

  it.each([404, 405])('is not required: a server without it (%i) works', async (status) => {
    const { server, proxy } = await stage.begin(
      withStream((_arrival, response) => void response.writeHead(status).end()),
    );
    await proxy.open();
    expect(await proxy.request(1, 'tools/call')).toHaveProperty('result');
    expect(server.count('initialize')).toBe(1);
    expect(proxy.stderr).toBe('');
  });
});

describe('an answer in a stream that is cut', () => {
  it('is resumed if the server numbers its events, each answer at its own pace', async () => {
    const waits = { slow: 400, fast: 20 };
    const waited = new Map<string, number>();
    const { server, proxy } = await stage.begin(
      withStream(
        ({ headers }, response) => {
          const id = headers['last-event-id'];
          if (typeof id !== 'string') return void response.writeHead(405).end();
          waited.set(id, Date.now() - (waited.get(id) ?? 0));
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.end(event(result(id, `whole ${id}`), `${id}-end`));
        },
        async ({ frame }, response) => {
          const id = String(frame?.id);
          await events(response, `retry: ${id === 'slow' ? waits.slow : waits.fast}\nid: ${id}\ndata: \n\n`);
          waited.set(id, Date.now());
          response.end();
        },
      ),
    );
    await proxy.open();
    const [slow, fast] = await Promise.all([proxy.request('slow', 'tools/call'), proxy.request('fast', 'tools/call')]);
    expect([slow.result, fast.result]).toEqual(['whole slow', 'whole fast']);
    // Never too early; how much later depends on the computer.
    expect(waited.get('slow')).toBeGreaterThanOrEqual(waits.slow - 5);
    expect(server.count('tools/call')).toBe(2);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['ends without the answer', (response) => response.end()],
    [
      'breaks in the middle of it',
      (response) => void response.write('data: {"jsonrpc":"2.0","id":1,"resu', () => response.destroy()),
    ],
  ])('leaves no request without an answer if the server does not number its events: it %s', async (_name, end) => {
    const { server, proxy } = await stage.begin(
      withStream(
        (_arrival, response) => void response.writeHead(405).end(),
        async (_arrival, response) => {
          await events(response, event(said('first')));
          end(response);
        },
      ),
    );
    await proxy.open();
    const { error } = await proxy.request(1, 'tools/call');
    expect(error.message).toMatch(/It may have run\. Check the result before you repeat it\./);
    expect(String(proxy.frames[1])).toBe(said('first'));
    expect(server.count('tools/call')).toBe(1);
  });
});

describe('frames other than answers', () => {
  it("reach the client unchanged and in order: the server's requests, progress, log and list changes", async () => {
    const frames = [
      '{"jsonrpc":"2.0","id":"s-1","method":"sampling/createMessage","params":{"x":1.0,"unknown":{"deep":[1e2]}}}',
      '{"jsonrpc":"2.0","id":18446744073709551617,"method":"elicitation/create","params":{"message":"\\u0041"}}',
      '{ "method" : "roots/list" , "id" : 3.0 , "jsonrpc" : "2.0" }',
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1.0,"progress":0.10}}',
      '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
      '{"jsonrpc":"2.0","method":"notifications/of/no/revision","params":[1,{"a":null}],"x-more":true}',
      said('log'),
    ];
    const { proxy } = await stage.begin(
      withStream(
        (_arrival, response) => void response.writeHead(405).end(),
        ({ frame }, response) =>
          void response
            .writeHead(200, { 'content-type': 'text/event-stream' })
            .end([...frames, JSON.stringify(result(frame?.id))].map((each) => event(each)).join('')),
      ),
    );
    await proxy.open();
    await proxy.request(1, 'tools/call');
    expect(proxy.frames.slice(1, -1).map(String)).toEqual(frames);
  });

  it("reach the server unchanged: the client's answers, cancellations and notifications", async () => {
    const frames = [
      '{"jsonrpc":"2.0","id":18446744073709551617,"result":{"role":"assistant","n":1.0}}',
      '{"id":"s-1","error":{"code":-1,"message":"no\\/t now"},"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0,"reason":"ä"}}',
      '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
      '{ "jsonrpc":"2.0" , "method":"notifications/of/no/revision","x-more":[] }',
    ];
    const { server, proxy } = await stage.begin(orderly().script);
    await proxy.open();
    for (const frame of frames) proxy.send(frame);
    await expect.poll(() => server.arrivals.map(({ body }) => String(body))).toEqual(expect.arrayContaining(frames));
    expect(proxy.frames).toHaveLength(1);
  });
});
