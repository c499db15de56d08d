import { z } from 'zod';
import { startEverything } from './everything.ts';
import type { Revision } from './fixtures/serve.ts';
import { startForwarder } from './forwarder.ts';
import { proxyTo } from './proxied.ts';
import { Visitor } from './visitor.ts';

const PORT = 39_218;
const PATIENCE_MS = 30_000;
const DOCUMENT = 'demo://resource/static/document/features.md';

/** One thing that the reference server can do, shown: what was seen, in words. Throws if it is not there. */
interface Feature {
  name: string;
  /** Left out where revision 2026-07-28 has it no more. */
  onlyIn?: Revision;
  show(visitor: Visitor): Promise<string>;
}

function must(condition: boolean, words: string): void {
  if (!condition) throw new Error(words);
}

const FEATURES: Feature[] = [
  {
    name: 'lists: tools, prompts, resources, templates',
    show: async ({ client }) => {
      const [{ tools }, { prompts }, { resources }, { resourceTemplates }] = await Promise.all([
        client.listTools(),
        client.listPrompts(),
        client.listResources(),
        client.listResourceTemplates(),
      ]);
      const names = tools.map(({ name }) => name);
      // The server offers these only to clients that can be asked.
      for (const name of ['trigger-sampling-request', 'trigger-elicitation-request', 'get-roots-list']) {
        must(names.includes(name), `there is no tool ${name}`);
      }
      return [tools, prompts, resources, resourceTemplates].map(({ length }) => length).join(', ');
    },
  },
  {
    name: 'a long-running tool with all of its progress',
    show: async (visitor) => {
      const call = { name: 'trigger-long-running-operation', arguments: { duration: 2, steps: 8 } };
      await visitor.client.callTool(call, { onprogress: () => {} });
      const seen: unknown[] = [];
      while (seen.length < 8) seen.push((await visitor.next('progress')).progress);
      must(seen.join() === '1,2,3,4,5,6,7,8', `its progress was ${seen.join()}`);
      return `progress ${seen.join()}, then the answer`;
    },
  },
  {
    name: 'a long-running tool that is cancelled',
    show: async (visitor) => {
      const cancel = new AbortController();
      const call = { name: 'trigger-long-running-operation', arguments: { duration: 60, steps: 60 } };
      const options = { signal: cancel.signal, onprogress: () => {} };
      void visitor.next('progress').then(() => cancel.abort(new Error('enough')));
      const ended = await visitor.client.callTool(call, options).catch((error: unknown) => error);
      must(ended instanceof Error, 'it was answered');
      return 'ended after its first progress; the next call is answered';
    },
  },
  {
    name: 'sampling',
    show: async (visitor) => {
      const answer = await visitor.call('trigger-sampling-request', { prompt: 'Say something' });
      const asked = await visitor.next('sampling');
      must(JSON.stringify(asked).includes('Say something'), 'the client was asked something else');
      must(answer.includes('sampled by the client'), answer);
      return 'the client was asked, and the tool has its words';
    },
  },
  {
    name: 'elicitation by form',
    show: async (visitor) => {
      const answer = await visitor.call('trigger-elicitation-request');
      const { requestedSchema } = await visitor.next('elicitation');
      const fields = Object.keys(Object(Object(requestedSchema).properties)).length;
      must(answer.includes('Ada Lovelace') && answer.includes('Integer: 7'), answer);
      return `a form of ${fields} fields, filled in`;
    },
  },
  {
    name: 'elicitation by URL',
    show: async (visitor) => {
      const answer = await visitor.call('trigger-url-elicitation', { url: 'https://example.com/consent' });
      const { url } = await visitor.next('elicitation');
      must(String(url).startsWith('https://'), answer);
      return `the client was shown ${url}`;
    },
  },
  {
    name: 'roots',
    show: async (visitor) => {
      const answer = await visitor.call('get-roots-list');
      must(answer.includes('file:///tmp/project'), answer);
      return 'the server knows file:///tmp/project';
    },
  },
  {
    name: 'resource subscriptions',
    show: async (visitor) => {
      const { client } = visitor;
      const isStateless = client.getNegotiatedProtocolVersion() === '2026-07-28';
      const listening = isStateless ? await client.listen({ resourceSubscriptions: [DOCUMENT] }) : undefined;
      if (!listening) await client.subscribeResource({ uri: DOCUMENT });
      await visitor.call('toggle-subscriber-updates');
      const first = await visitor.next('updated');
      await visitor.next('updated');
      await (listening ? listening.close() : client.unsubscribeResource({ uri: DOCUMENT }));
      await visitor.call('toggle-subscriber-updates');
      must(first.uri === DOCUMENT, `it was told of ${first.uri}`);
      return 'told twice of the document';
    },
  },
  {
    name: 'logging at the level that was set',
    onlyIn: 'sessions',
    show: async (visitor) => {
      await visitor.client.setLoggingLevel('debug');
      await visitor.call('toggle-simulated-logging');
      // It tells of other things too, and at random levels.
      while (!/level.message/i.test(String((await visitor.next('message')).data)));
      await visitor.call('toggle-simulated-logging');
      return 'the client has its messages';
    },
  },
  {
    name: 'a list that changes',
    show: async (visitor) => {
      const { client } = visitor;
      const isStateless = client.getNegotiatedProtocolVersion() === '2026-07-28';
      const listening = isStateless ? await client.listen({ resourcesListChanged: true }) : undefined;
      await visitor.call('gzip-file-as-resource', {
        name: 'note.gz',
        data: 'data:text/plain,note',
        outputType: 'resourceLink',
      });
      await visitor.next('resources changed');
      await listening?.close();
      const { resources } = await client.listResources();
      must(
        resources.some(({ name }) => name === 'note.gz'),
        'the new resource is not listed',
      );
      return 'told that there is another resource, and it is there';
    },
  },
  {
    name: 'resources, prompts, completions',
    show: async ({ client }) => {
      const { contents } = await client.readResource({ uri: 'demo://resource/dynamic/text/1' });
      const { messages } = await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Jena' } });
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'completable-prompt' },
        argument: { name: 'department', value: 'E' },
      });
      must(contents.length === 1 && JSON.stringify(messages).includes('Jena'), 'something is missing');
      return `completed to ${completion.values.join(', ')}`;
    },
  },
  {
    name: 'a task, polled until it is done',
    onlyIn: 'sessions',
    show: async ({ client }) => {
      const Task = z.looseObject({ task: z.looseObject({ taskId: z.string() }) });
      const params = { name: 'simulate-research-query', arguments: { topic: 'tea' }, task: { ttl: 60_000 } };
      const { task } = await client.request({ method: 'tools/call', params }, Task);
      const Answer = z.looseObject({ content: z.array(z.unknown()) });
      const { content } = await client.request({ method: 'tasks/result', params: { taskId: task.taskId } }, Answer);
      return `its result has ${content.length} part`;
    },
  },
];

/** Shows all that the reference server can do to a client behind `causeway proxy`. Gives what is missing. */
export async function tourEverything(folder: string): Promise<string[]> {
  const missing: string[] = [];
  const everything = await startEverything(folder, PORT);
  const forwarder = await startForwarder(everything.url);
  const { args, env, remove } = await proxyTo(forwarder.origin, '/api/2.0/mcp/everything');
  for (const revision of ['sessions', 'stateless'] as const) {
    console.log(
      `\nserver-everything behind causeway proxy, a client of ${revision === 'sessions' ? '2025-11-25' : '2026-07-28'}`,
    );
    const visitor = new Visitor(revision);
    await visitor.connect(args, env);
    for (const { name, onlyIn = revision, show } of FEATURES) {
      if (onlyIn !== revision) continue;
      const seen = await within(PATIENCE_MS, show(visitor)).catch((error: unknown) => {
        missing.push(`${name}, a client of ${revision}: ${error}`);
        return `MISSING: ${error}`;
      });
      console.log(`  ${name.padEnd(48)}${seen}`);
    }
    await visitor.client.close();
  }
  forwarder.close();
  everything.close();
  await remove();
  return missing;
}

function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('nothing came')), milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
