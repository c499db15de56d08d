import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hubFolder, readRendezvous } from '../../main/hub/rendezvous.ts';
import { hubProxies } from '../../main/hub/system-proxies.ts';
import { autostartEntry, autostartPath } from '../../main/platform/autostart.ts';
import { configFolder } from '../../main/platform/paths.ts';
import { writeWholeFile } from '../../main/platform/replace-file.ts';
import { CAUSEWAY } from '../integration/proxy/proxy-process.ts';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';

const reason = whyNotHere(process.env);
if (reason) console.warn(`The tests of what commands ask the application are skipped. ${reason}`);

const PAC = `function FindProxyForURL(url, host) {
  return host === 'workspace.causeway.test' ? 'PROXY proxy.causeway.test:3128; DIRECT' : 'DIRECT';
}`;

describe.skipIf(reason)('the running application, asked by a command,', () => {
  const script = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/x-ns-proxy-autoconfig' }).end(PAC),
  );
  let application: RunningApplication;

  beforeAll(async () => {
    script.listen(0, '127.0.0.1');
    await once(script, 'listening');
    const { port } = script.address() as AddressInfo;
    const flags = ['--hidden', `--proxy-pac-url=http://127.0.0.1:${port}/proxy.pac`];
    const prepare = (home: string) =>
      writeWholeFile(
        autostartPath({ HOME: home, XDG_CONFIG_HOME: join(home, '.config') }),
        autostartEntry(['/opt/Causeway/causeway-desktop']),
      );
    application = await startApplication({ flags, prepare });
  });
  afterAll(async () => {
    await application.close();
    script.close();
  });

  it("reports the desktop's PAC result for a host", async () => {
    const published = () => readRendezvous(hubFolder(application.env));
    await expect.poll(published, { timeout: 15_000 }).toBeDefined();
    const proxies = hubProxies(application.env);
    expect(await proxies('https://workspace.causeway.test')).toMatch(/^PROXY proxy\.causeway\.test:3128; ?DIRECT$/);
    expect(await proxies('https://other.causeway.test')).toBe('DIRECT');
  });

  it('quits to be uninstalled, and leaves nothing behind', async () => {
    const { env, home } = application;
    const ended = once(application.electron.process(), 'exit');
    const uninstall = [CAUSEWAY, 'uninstall', '--yes'];
    const { stdout } = await promisify(execFile)(process.execPath, uninstall, {
      env: { ...env, CAUSEWAY_TOKEN_STORE: 'memory' },
    });
    await ended;
    expect(stdout).toContain(`${configFolder(env)}: removed.`);
    for (const gone of [configFolder(env), join(home, '.config', 'Causeway'), hubFolder(env), autostartPath(env)]) {
      expect([gone, existsSync(gone)]).toEqual([gone, false]);
    }
    expect(existsSync(join(home, '.databrickscfg'))).toBe(true);
  });
});
