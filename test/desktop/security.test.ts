import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageAt } from '../integration/auth/scripted-browser.ts';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';

const reason = whyNotHere(process.env);
if (reason) console.warn(`The security tests are skipped. ${reason}`);

/** The checklist of Electron's documentation (docs/tutorial/security.md), in its order, on the running application. */
describe.skipIf(reason)('the security checklist', () => {
  let application: RunningApplication;
  let page: Page;

  beforeAll(async () => {
    application = await startApplication();
    page = await application.window();
    await page.getByRole('button', { name: 'Change warehouse' }).waitFor();
  });
  afterAll(() => application?.close());

  const preferences = () =>
    application.electron.evaluate(({ webContents }) => {
      const [contents] = webContents.getAllWebContents();
      // What the window was really made with, not what was asked for.
      return contents && 'getLastWebPreferences' in contents && typeof contents.getLastWebPreferences === 'function'
        ? contents.getLastWebPreferences()
        : {};
    });

  it('1: only the application’s own files are loaded', async () => {
    const loads = await page.evaluate(async () => {
      const tryIt = (address: string) =>
        fetch(address).then(
          () => 'loaded',
          () => 'refused',
        );
      return Promise.all(['http://127.0.0.1:1/', 'https://example.com/', 'file:///etc/passwd', 'data:,x'].map(tryIt));
    });
    expect(loads).toEqual(['refused', 'refused', 'refused', 'refused']);
    const session = await application.electron.evaluate(async ({ session: { defaultSession } }) =>
      defaultSession.fetch('http://127.0.0.1:1/').then(
        () => 'loaded',
        (error: Error) => error.message,
      ),
    );
    expect(session).toContain('ERR_BLOCKED_BY_CLIENT');
  });

  it('2, 3, 4: the page has no Node, its own world and a sandbox', async () => {
    expect(await preferences()).toMatchObject({ nodeIntegration: false, contextIsolation: true, sandbox: true });
    const seen = await page.evaluate(() =>
      ['require', 'process', 'module', 'Buffer', 'electron'].filter((name) => name in window),
    );
    expect(seen).toEqual([]);
    const metrics = await application.electron.evaluate(({ app }) =>
      app.getAppMetrics().map(({ type, sandboxed }) => ({ type, sandboxed })),
    );
    expect(metrics.some(({ type }) => type === 'Tab')).toBe(true);
  });

  it('5: every permission is denied', async () => {
    const states = await page.evaluate(async () => {
      const names = ['geolocation', 'notifications', 'camera', 'microphone', 'midi', 'clipboard-read'];
      const query = (name: string) => navigator.permissions.query({ name: name as PermissionName });
      return Promise.all(names.map(async (name) => (await query(name)).state));
    });
    expect(new Set(states)).toEqual(new Set(['denied']));
  });

  it('6, 8, 9, 10: no protection of the page is turned off', async () => {
    const found = await preferences();
    expect(found).not.toMatchObject({ webSecurity: false });
    expect(found).not.toMatchObject({ allowRunningInsecureContent: true });
    expect(found).not.toMatchObject({ experimentalFeatures: true });
    expect(Reflect.get(found, 'enableBlinkFeatures') ?? '').toBe('');
  });

  it('7: its Content-Security-Policy allows nothing unsafe', async () => {
    const policy = await page.evaluate(async () =>
      (await fetch('app://causeway/index.html')).headers.get('content-security-policy'),
    );
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    const inline = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.broken = true';
      document.head.append(script);
      return 'broken' in window;
    });
    expect(inline).toBe(false);
  });

  it('11, 12: there are no embedded pages', async () => {
    expect(await preferences()).toMatchObject({ webviewTag: false });
    // Where the tag means something, its element has the methods of the page within.
    const methods = await page.evaluate(() => {
      const element = document.createElement('webview');
      return ['getWebContentsId', 'loadURL', 'executeJavaScript'].filter((name) => name in element);
    });
    expect(methods).toEqual([]);
  });

  it('13, 14: it does not navigate and opens no window', async () => {
    const before = page.url();
    await page.evaluate(() => {
      location.assign('https://example.com/');
      window.open('https://example.com/');
      const link = Object.assign(document.createElement('a'), { href: 'https://example.com/', target: '_blank' });
      document.body.append(link);
      link.click();
      link.remove();
    });
    // Playwright itself would wait for the navigation that never comes.
    expect(await page.evaluate(() => document.querySelector('h1')?.textContent)).toContain('Your queries run on');
    expect(page.url().split('#', 1)).toEqual(before.split('#', 1));
    expect(application.electron.windows()).toHaveLength(1);
  });

  it('15: only pages of the configured workspaces reach the system browser', async () => {
    await application.electron.evaluate(({ shell }) => {
      const opened: string[] = [];
      Object.assign(globalThis, { opened });
      shell.openExternal = async (address: string) => void opened.push(address);
    });
    const reply = page.evaluate(() => window.causeway.request.signInTo({ profile: 'oauth' }));
    const opened = () => application.electron.evaluate(() => [Reflect.get(globalThis, 'opened')].flat().map(String));
    await expect
      .poll(async () => Promise.all((await opened()).map(pageAt)))
      .toEqual([expect.stringContaining(`${application.workspace.host}/oidc/`)]);
    await page.evaluate(() => window.causeway.request.cancelSignInTo({ profile: 'oauth' }));
    await reply;
  });

  it('16: the Electron that is shipped is the newest one of the package', () => {
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'));
    expect(Number(/\d+/.exec(manifest.devDependencies.electron)?.[0])).toBeGreaterThanOrEqual(45);
  });

  it('17: a message from anything but the window’s page is refused', async () => {
    const reply = await application.electron.evaluate(async ({ BrowserWindow, app }) => {
      const stranger = new BrowserWindow({
        show: false,
        webPreferences: { sandbox: true, preload: `${app.getAppPath()}/out/preload/index.cjs` },
      });
      await stranger.loadURL('app://causeway/index.html');
      const answer: unknown = await stranger.webContents.executeJavaScript('window.causeway.request.getState()');
      stranger.destroy();
      return answer;
    });
    expect(reply).toMatchObject({ ok: false, problem: { code: 'permission_denied' } });
  });

  it('18: its pages are not loaded from file:', () => {
    expect(page.url()).toMatch(/^app:\/\/causeway\//);
  });

  it('20: no Electron API reaches the page', async () => {
    const exposed = await page.evaluate(() => ({
      api: Object.keys(window.causeway).sort(),
      others: Object.values(window.causeway.request).every((each) => typeof each === 'function'),
      prototype: 'ipcRenderer' in window.causeway,
    }));
    expect(exposed).toEqual({ api: ['on', 'request'], others: true, prototype: false });
  });
});
