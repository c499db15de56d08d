import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askHub } from '../../main/hub/attach.ts';
import { hubFolder, readRendezvous } from '../../main/hub/rendezvous.ts';
import { ENDLESS_ANSWERS, type EndlessServer, startEndlessServer } from '../bench/endless-server.ts';
import { forgetPeak, peakMiB, residentMiB } from '../bench/memory.ts';
import { ProxyProcess } from '../integration/proxy/proxy-process.ts';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';

const reason = whyNotHere(process.env);
if (reason) console.warn(`The tests of hostile servers and clients of the application are skipped. ${reason}`);

/** How much an endless answer may make the application grow, in MiB: twice what may be held of it, and room for the rest. */
const MAX_GROWTH_MIB = 300;

/** The answer of the embedded workspace to `tools/list`. */
const TOOLS = { result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'execute_sql' })]) } };

describe.skipIf(reason)('the running application', () => {
  let application: RunningApplication;
  let server: EndlessServer;
  const proxies: ProxyProcess[] = [];

  beforeAll(async () => {
    server = await startEndlessServer();
    application = await startApplication({ flags: ['--hidden'] });
    const { host, users } = application.workspace;
    const orderly = `[orderly]\nhost = ${host}\ntoken = ${users[0]?.token}\n`;
    const endless = `[endless]\nhost = ${server.origin}\ntoken = dapi-endless\n`;
    await appendFile(join(application.home, '.databrickscfg'), `\n${orderly}\n${endless}`);
  });
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close();
  });
  afterAll(async () => {
    await application.close();
    server.close();
  });

  const pid = () => application.electron.process().pid ?? 0;
  const isAlive = () => application.electron.process().exitCode === null;

  /** A client whose session goes through the application. */
  async function attached(profile: 'orderly' | 'endless'): Promise<ProxyProcess> {
    const published = () => readRendezvous(hubFolder(application.env));
    await expect.poll(published, { timeout: 15_000 }).toBeDefined();
    const proxy = new ProxyProcess(['--path', '/api/2.0/mcp/sql', '--profile', profile], application.env);
    proxies.push(proxy);
    const clientInfo = { name: 'test', version: '1' };
    await proxy.request('open', 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    proxy.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const rendezvous = published();
    expect(rendezvous && (await askHub(rendezvous, { question: 'sessions' }))).toContain(`"pid":${proxy.child.pid},`);
    return proxy;
  }

  it.each(['JSON body', 'one line of an event stream', 'one event of many lines'] as const)(
    'survives an endless %s in little memory: its client is told, and the others continue',
    async (kind) => {
      const other = await attached('orderly');
      const client = await attached('endless');
      server.answer = ENDLESS_ANSWERS[kind];
      await forgetPeak(pid());
      const idle = await residentMiB(pid());
      const told = client.request(2, 'tools/call', { name: 'x', arguments: {} });
      expect(await other.request(1, 'tools/list')).toMatchObject(TOOLS);
      expect((await told).error?.message).toMatch(/larger than 72 MiB/);
      const peak = await peakMiB(pid());
      expect(peak - idle).toBeLessThan(MAX_GROWTH_MIB);
      expect(await other.request(2, 'tools/list')).toMatchObject(TOOLS);
      expect(isAlive()).toBe(true);
    },
  );

  it('survives lines of 2,400 nested brackets: their client is told, and the others continue', async () => {
    const other = await attached('orderly');
    const client = await attached('orderly');
    for (let count = 1; count <= 5; count += 1) {
      client.send('['.repeat(2_400));
      expect(await client.request(count, 'tools/list')).toMatchObject(TOOLS);
    }
    expect((await client.answerTo(null)).error?.message).toBeTruthy();
    expect(await other.request(1, 'tools/list')).toMatchObject(TOOLS);
    expect(isAlive()).toBe(true);
  });
});
