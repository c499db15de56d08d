import { describe, expect, it } from 'vitest';
import { clientOf, type Frame, serverOf } from './servers-and-client.ts';

describe('several servers as one', () => {
  it('keep resources with the same address apart, wherever servers mention them', async () => {
    const [a, b] = [serverOf('a', { resources: ['doc:1', 'doc:a'] }), serverOf('b', { resources: ['doc:1'] })];
    const client = clientOf(a, b);
    await client.open();
    const uris = await client.names('resources/list', 'resources', 'uri');
    expect(uris).toEqual(['causeway.a+doc:1', 'doc:a', 'causeway.b+doc:1']);
    const { result } = await client.request('resources/read', { uri: 'causeway.b+doc:1' });
    expect(result?.contents).toEqual([{ uri: 'causeway.b+doc:1', text: 'b' }]);
    await client.request('resources/subscribe', { uri: 'causeway.b+doc:1' });
    expect(b.received.at(-1)).toMatchObject({ method: 'resources/subscribe', params: { uri: 'doc:1' } });
    b.say({ method: 'notifications/resources/updated', params: { uri: 'doc:1' } });
    await expect.poll(() => client.notified('notifications/resources/updated')).toHaveLength(1);
    expect(client.notified('notifications/resources/updated')[0]).toMatchObject({
      params: { uri: 'causeway.b+doc:1' },
    });
  });

  it('read a resource that only a template or a result names from the server that named it', async () => {
    const a = serverOf('a', { tools: ['link'], templates: ['a://{x}/end'] }, (frame, say) => {
      if (frame.method !== 'tools/call') return false;
      say({ id: frame.id, result: { content: [{ type: 'resource_link', name: 'l', uri: 'link:1' }] } } as Frame);
      return true;
    });
    const b = serverOf('b', { templates: ['b://{+x}'] });
    const client = clientOf(a, b);
    await client.open();
    await client.tools();
    const read = async (uri: string) => (await client.request('resources/read', { uri })).error?.code ?? 'read';
    expect(await read('link:1')).toBe(-32002);
    await client.request('tools/call', { name: 'link' });
    expect([await read('link:1'), await read('b://x/end'), await read('a://x/end')]).toEqual(['read', 'read', 'read']);
    const readBy = (frames: Frame[]) =>
      frames.flatMap(({ method, params }) => (method === 'resources/read' ? [params?.uri] : []));
    expect([readBy(a.received), readBy(b.received)]).toEqual([['link:1', 'a://x/end'], ['b://x/end']]);
    await client.request('completion/complete', { ref: { type: 'ref/resource', uri: 'b://{+x}' }, argument: {} });
    expect(b.received.at(-1)?.method).toBe('completion/complete');
  });

  describe('with tools that name a resource for their results', () => {
    /** A server whose tools name these, and which reads any resource and lists none. */
    const showing = (name: string, ...views: string[]) =>
      serverOf(name, {}, ({ id, method, params }, say) => {
        const tools = views.map((uri, at) => ({
          name: `${name}-${at}`,
          _meta: { 'openai/outputTemplate': uri, ui: { resourceUri: uri, n: 1 }, 'ui/resourceUri': uri, other: uri },
        }));
        const result =
          method === 'tools/list'
            ? { tools }
            : method === 'resources/read' && { contents: [{ uri: params?.uri, text: name }, { uri: 'ui://else' }] };
        if (result) say({ id, result } as Frame);
        return Boolean(result);
      });
    const metaOf = async (client: ReturnType<typeof clientOf>) => {
      const { result } = await client.request('tools/list');
      const tools = (result?.tools ?? []) as { name: string; _meta: object }[];
      return Object.fromEntries(tools.map((one) => [one.name, one._meta]));
    };
    const read = async (client: ReturnType<typeof clientOf>, uri: string) => {
      const { result, error } = await client.request('resources/read', { uri });
      const contents = (result?.contents ?? []) as { uri: string; text: string }[];
      return error?.message ?? contents[0];
    };

    it('show one that two servers have under two names of the same scheme, and read each from its own', async () => {
      const client = clientOf(showing('a', 'ui://chart/1', 'ui://of-a'), showing('b', 'ui://chart/1'));
      await client.open();
      const meta = await metaOf(client);
      const named = (uri: string, own: string) => ({
        'openai/outputTemplate': uri,
        ui: { resourceUri: uri, n: 1 },
        'ui/resourceUri': uri,
        other: own,
      });
      expect(meta).toEqual({
        'a-0': named('ui://causeway.a/chart/1', 'ui://chart/1'),
        'a-1': named('ui://of-a', 'ui://of-a'),
        'b-0': named('ui://causeway.b/chart/1', 'ui://chart/1'),
      });
      for (const [uri, text] of [
        ['ui://causeway.a/chart/1', 'a'],
        ['ui://causeway.b/chart/1', 'b'],
        ['ui://of-a', 'a'],
      ] as const) {
        expect(await read(client, uri)).toEqual({ uri, text });
      }
      expect(await read(client, 'ui://chart/1')).toBe(
        'Several servers have a resource "ui://chart/1". Nothing was run. Use one of ui://causeway.a/chart/1, ui://causeway.b/chart/1.',
      );
    });

    it('read one under the name that the client was told, until it lists the tools again', async () => {
      const [a, b] = [showing('a', 'ui://else'), showing('b')];
      const client = clientOf(a);
      await client.open();
      await metaOf(client);
      client.aggregate.offer([a.server, b.server]);
      // Its contents mention a resource of the same name.
      await read(client, 'ui://causeway.b/chart/1');
      expect(await read(client, 'ui://else')).toEqual({ uri: 'ui://else', text: 'a' });
      expect((await metaOf(client))['a-0']).toMatchObject({ ui: { resourceUri: 'ui://causeway.a/else' } });
      expect(await read(client, 'ui://else')).toContain('Several servers have a resource');
    });

    it('leave the name of one that only one server has', async () => {
      const client = clientOf(showing('a', 'ui://a'), showing('b', 'ui://b'));
      await client.open();
      expect(JSON.stringify(Object.values(await metaOf(client)))).not.toContain('causeway');
    });
  });
});
