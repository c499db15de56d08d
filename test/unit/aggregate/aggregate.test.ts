import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOf, type Frame, serverOf } from './servers-and-client.ts';

const tokenOf = (frame: Frame | undefined) =>
  (frame?.params?._meta as { progressToken: number } | undefined)?.progressToken;

const toolNames = fc.uniqueArray(fc.constantFrom('run', 'query', 'a__run', 'b__run', 'list'), { maxLength: 4 });

describe('several servers as one', () => {
  it('route every call to the server that its name was listed for, and answer every id once', async () => {
    await fc.assert(
      fc.asyncProperty(
        toolNames,
        toolNames,
        toolNames,
        fc.array(fc.nat(), { maxLength: 12 }),
        async (a, b, c, picks) => {
          const servers = {
            a: serverOf('a', { tools: a }),
            b: serverOf('b', { tools: b }),
            c: serverOf('c', { tools: c }),
          };
          const client = clientOf(servers.a, servers.b, servers.c);
          await client.open();
          const tools = await client.tools();
          const owned = [
            ...a.map((tool) => ['a', tool]),
            ...b.map((tool) => ['b', tool]),
            ...c.map((tool) => ['c', tool]),
          ];
          expect(tools).toHaveLength(owned.length);
          expect(new Set(tools).size).toBe(tools.length);
          const asked = tools.length === 0 ? [] : picks.map((pick) => pick % tools.length);
          const answers = await Promise.all(
            asked.map((at) => client.request('tools/call', { name: tools[at], arguments: {} })),
          );
          expect(answers.map(({ result }) => [result?.by, (result?.of as { name: string } | undefined)?.name])).toEqual(
            asked.map((at) => owned[at]),
          );
          const ids = client.frames.flatMap((frame) => ('id' in frame && frame.method === undefined ? [frame.id] : []));
          expect(new Set(ids).size).toBe(ids.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('answer a request for an unknown name with an error, and run nothing', async () => {
    const [a, b] = [serverOf('a', { tools: ['run'] }), serverOf('b', { tools: ['run'] })];
    const client = clientOf(a, b);
    await client.open();
    expect((await client.request('tools/call', { name: 'other' })).error).toEqual({
      code: -32602,
      message: 'Unknown tool: other',
    });
    expect((await client.request('tools/call', { name: 'run' })).result?.isError).toBe(true);
    expect((await client.request('tools/call', { name: 7 })).error?.code).toBe(-32602);
    expect((await client.request('nothing/such')).error?.code).toBe(-32601);
    expect((await client.request('resources/read', { uri: 'none:1' })).error?.code).toBe(-32002);
    expect([a.calls(), b.calls()]).toEqual([[], []]);
  });

  it('keep requests from two servers to the client apart even under the same id, and return each its own answer', async () => {
    const [a, b] = [serverOf('a', {}), serverOf('b', {})];
    const client = clientOf(a, b);
    await client.open();
    for (const one of [a, b]) one.say({ id: 1, method: 'roots/list', params: { _meta: { progressToken: 'p' } } });
    await expect.poll(() => client.notified('roots/list')).toHaveLength(2);
    const [first, second] = client.notified('roots/list') as Frame[];
    expect(first?.id).not.toBe(second?.id);
    const token = tokenOf(second);
    client.send({ method: 'notifications/progress', params: { progressToken: token, progress: 1 } });
    client.send({ id: second?.id, result: { roots: ['b'] } } as Frame);
    client.send({ id: first?.id, result: { roots: ['a'] } } as Frame);
    client.send({ id: first?.id, result: { roots: ['again'] } } as Frame);
    const answers = (frames: Frame[]) => frames.filter(({ result }) => result?.roots);
    expect(answers(a.received)).toEqual([{ id: 1, result: { roots: ['a'] } }]);
    expect(answers(b.received)).toEqual([{ id: 1, result: { roots: ['b'] } }]);
    expect(b.received).toContainEqual({
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 1 },
    });
  });

  it('recognize a request that a server cancels, and only that', async () => {
    const [a, b] = [serverOf('a', {}), serverOf('b', {})];
    const client = clientOf(a, b);
    await client.open();
    a.say({ id: 1, method: 'elicitation/create', params: {} });
    await expect.poll(() => client.notified('elicitation/create')).toHaveLength(1);
    b.say({ method: 'notifications/cancelled', params: { requestId: 1 } });
    a.say({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await expect.poll(() => client.notified('notifications/cancelled')).toHaveLength(1);
    const [asked] = client.notified('elicitation/create') as Frame[];
    expect(client.notified('notifications/cancelled')).toEqual([
      expect.objectContaining({ params: { requestId: asked?.id } }),
    ]);
  });

  it('pass progress and cancellation on to the right call, and never answer a canceled call', async () => {
    let waiting: Frame | undefined;
    let answer: (frame: Frame) => void = () => {};
    const a = serverOf('a', { tools: ['wait'] }, (frame, say) => {
      if (frame.method !== 'tools/call') return false;
      [waiting, answer] = [frame, say];
      return true;
    });
    const client = clientOf(a, serverOf('b', { tools: ['run'] }));
    await client.open();
    await client.tools();
    void client.request('tools/call', { name: 'wait', _meta: { progressToken: 'mine' } }, 'call');
    const progressToken = tokenOf(waiting);
    answer({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    answer({ method: 'notifications/progress', params: { progressToken: 'mine', progress: 2 } });
    await expect.poll(() => client.notified('notifications/progress')).toHaveLength(1);
    expect(client.notified('notifications/progress')).toEqual([
      expect.objectContaining({ params: { progressToken: 'mine', progress: 1 } }),
    ]);
    client.send({ method: 'notifications/cancelled', params: { requestId: 'call' } });
    expect(a.received.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: waiting?.id } });
    answer({ id: waiting?.id, result: {} } as Frame);
    await client.request('ping');
    expect(client.frames.filter((frame) => 'id' in frame && frame.id === 'call')).toEqual([]);
  });

  it('also set the log level on servers that are added later', async () => {
    const [a, b] = [serverOf('a', {}), serverOf('b', {})];
    const client = clientOf(a);
    await client.open();
    expect((await client.request('logging/setLevel', { level: 'debug' })).result).toEqual({});
    client.aggregate.offer([a.server, b.server]);
    const level = expect.objectContaining({ method: 'logging/setLevel', params: { level: 'debug' } });
    await expect.poll(() => b.received).toContainEqual(level);
    expect(a.received.filter(({ method }) => method === 'initialize')).toHaveLength(1);
  });

  it('set the log level on a server that could not be opened at first', async () => {
    let isAway = true;
    const a = serverOf('a', { tools: ['run'] }, ({ id, method }, say) => {
      if (method === 'initialize' && isAway) say({ id, error: { code: -31_999, message: 'Away' } } as Frame);
      return method === 'initialize' && isAway;
    });
    const client = clientOf(a);
    await client.open();
    await expect.poll(() => client.tools()).toEqual(['connection_status']);
    await client.request('logging/setLevel', { level: 'debug' });
    isAway = false;
    await client.request('tools/call', { name: 'connection_status' });
    await expect.poll(() => client.tools()).toEqual(['run']);
    const levels = a.received.filter(({ method }) => method === 'logging/setLevel');
    expect(levels).toMatchObject([{ params: { level: 'debug' } }]);
  });

  it('do not send a call that was canceled before its server could be asked', async () => {
    let introduce: () => void = () => {};
    const slow = serverOf('slow', { tools: ['wait', 'run'] }, ({ id, method }, say) => {
      if (method !== 'initialize') return false;
      introduce = () => say({ id, result: { capabilities: { tools: {} }, serverInfo: { name: 'slow' } } } as Frame);
      return true;
    });
    const client = clientOf(slow, serverOf('b', { tools: ['other'] }));
    await client.open();
    const call = (name: string, id: string) => client.request('tools/call', { name: `slow__${name}` }, id);
    void call('wait', 'cancelled');
    const other = call('run', 'other');
    client.send({ method: 'notifications/cancelled', params: { requestId: 'cancelled' } });
    introduce();
    expect((await other).result).toMatchObject({ by: 'slow' });
    expect(slow.calls()).toEqual(['run']);
    expect(client.frames.filter((frame) => 'id' in frame && frame.id === 'cancelled')).toEqual([]);
  });

  it('list a tool once if its server lists it twice, and stop if a server returns the same cursor again', async () => {
    const lists: unknown[] = [];
    const a = serverOf('a', {}, ({ id, method, params }, say) => {
      if (method !== 'tools/list') return false;
      lists.push(params?.cursor);
      say({ id, result: { tools: [{ name: 'run' }, { name: 'look' }, { name: 'run' }], nextCursor: 'more' } } as Frame);
      return true;
    });
    const client = clientOf(a, serverOf('b', { tools: ['look'] }));
    await client.open();
    expect(await client.tools()).toEqual(['run', 'a__look', 'b__look']);
    expect(lists).toEqual([undefined, 'more']);
  });

  it('answer a batch as a whole, whatever is in it', async () => {
    const client = clientOf(serverOf('a', { tools: ['run'] }));
    await client.open();
    await client.tools();
    const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'run' } });
    client.send([call(71), { method: 'notifications/none' }, call(72), 5, { id: 73, method: 'ping' }] as Frame[]);
    await expect.poll(() => client.frames.filter(Array.isArray)).toHaveLength(1);
    const [batch] = client.frames.filter(Array.isArray);
    expect(batch?.map(({ id }) => id).toSorted()).toEqual([71, 72, 73, null]);
  });

  it('refuse requests that are outstanding at a server that is removed, and cancel what it asked the client', async () => {
    const a = serverOf('a', { tools: ['wait'] }, ({ method }) => method === 'tools/call');
    const client = clientOf(a, serverOf('b', {}));
    await client.open();
    await client.tools();
    a.say({ id: 5, method: 'roots/list' });
    await expect.poll(() => client.notified('roots/list')).toHaveLength(1);
    const open = client.request('tools/call', { name: 'wait' });
    client.aggregate.offer([]);
    expect((await open).error?.message).toContain('The server "a" no longer exists');
    expect(client.notified('notifications/cancelled')).toHaveLength(1);
    expect((await client.request('tools/call', { name: 'wait' })).error?.message).toContain('no longer exists');
  });

  it('offer no tasks, list no tool that requires one, and make plain calls of calls that ask for one', async () => {
    const tool = (name: string, taskSupport: string) => ({ name, execution: { taskSupport } });
    const a = serverOf('a', {}, ({ id, method }, say) => {
      if (method !== 'tools/list') return false;
      say({ id, result: { tools: [tool('must', 'required'), tool('may', 'optional')] } } as Frame);
      return true;
    });
    const client = clientOf(a);
    const extensions = { 'io.modelcontextprotocol/tasks': {}, 'io.modelcontextprotocol/ui': { mimeTypes: [] } };
    const opened = await client.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { extensions, tasks: { list: {} } },
      clientInfo: { name: 'test', version: '1' },
    });
    const offered = Object.keys(opened.result?.capabilities as object);
    expect(offered.toSorted()).toEqual(['completions', 'logging', 'prompts', 'resources', 'tools']);
    client.send({ method: 'notifications/initialized' });
    expect(await client.tools()).toEqual(['may']);
    const told = a.received.find(({ method }) => method === 'initialize')?.params?.capabilities;
    expect(told).toEqual({ extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [] } }, tasks: { list: {} } });

    const called = await client.request('tools/call', { name: 'may', arguments: { x: 1 }, task: { ttl: 1 } });
    expect(called.result).toEqual({ by: 'a', of: { name: 'may', arguments: { x: 1 } } });
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/list']) {
      expect((await client.request(method, { taskId: '1' })).error?.code).toBe(-32601);
    }
    expect(a.received.some(({ method }) => method?.startsWith('tasks/'))).toBe(false);
  });

  it('answer every method of the capabilities that they offer, even if no server has them', async () => {
    const a = serverOf('a', { tools: ['run'], prompts: ['ask'], resources: ['file:///a'], templates: ['file:///{x}'] });
    for (const servers of [[], [a]]) {
      const client = clientOf(...servers);
      await client.open();
      for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
        expect(await client.request(method), method).toHaveProperty('result');
      }
      expect(await client.request('logging/setLevel', { level: 'info' })).toHaveProperty('result');
      expect(await client.request('ping')).toHaveProperty('result');
      const asked: [string, object][] = [
        ['tools/call', { name: 'run' }],
        ['prompts/get', { name: 'ask' }],
        ['resources/read', { uri: 'file:///a' }],
        ['resources/subscribe', { uri: 'file:///a' }],
        ['resources/unsubscribe', { uri: 'file:///a' }],
        ['completion/complete', { ref: { type: 'ref/prompt', name: 'ask' }, argument: { name: 'x', value: '' } }],
      ];
      for (const [method, params] of asked) {
        const answer = await client.request(method, params as Record<string, unknown>);
        if (servers.length > 0) expect(answer, method).toHaveProperty('result');
        else expect(answer.error?.code, method).not.toBe(-32601);
      }
    }
  });

  it("pass on a server's task-augmented request to the client, and the server's questions about that task", async () => {
    const a = serverOf('a', {});
    const client = clientOf(a, serverOf('b', {}));
    await client.open();
    await client.tools();
    const asks = async (
      id: number,
      method: string,
      params: Record<string, unknown>,
      result: Record<string, unknown>,
    ) => {
      a.say({ id, method, params });
      await expect.poll(() => client.notified(method)).toHaveLength(1);
      const [request] = client.notified(method) as Frame[];
      client.send({ jsonrpc: '2.0', id: request?.id, result } as Frame);
      await expect.poll(() => a.received.at(-1)).toMatchObject({ id, result });
      return request;
    };
    const task = { taskId: '7', status: 'working' };
    const asked = await asks(1, 'elicitation/create', { message: 'Which?', task: { ttl: 60_000 } }, { task });
    expect(asked?.params).toEqual({ message: 'Which?', task: { ttl: 60_000 } });
    await asks(2, 'tasks/get', { taskId: '7' }, { ...task, status: 'completed' });
    await asks(3, 'tasks/result', { taskId: '7' }, { action: 'accept' });
  });

  it('wait for open requests before they end', async () => {
    let answer: () => void = () => {};
    const a = serverOf('a', { tools: ['wait'] }, (frame, say) => {
      if (frame.method !== 'tools/call') return false;
      answer = () => say({ id: frame.id, result: {} } as Frame);
      return true;
    });
    const client = clientOf(a);
    await client.open();
    await client.tools();
    const open = client.request('tools/call', { name: 'wait' });
    const finished = client.aggregate.finish(60_000);
    answer();
    expect((await open).result).toEqual({});
    await finished;
  });
});
