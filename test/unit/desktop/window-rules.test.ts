import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENTS } from '../../../main/clients/table.ts';
import { opensWindowAtStart } from '../../../main/desktop/lifecycle.ts';
import { appFileOf, contentSecurityPolicy } from '../../../main/desktop/window/app-files.ts';
import { isClientUrl, isOwnAddress, isTrustedSender } from '../../../main/desktop/window/navigation.ts';
import { type Bounds, DEFAULT_SIZE, placeWindow } from '../../../main/desktop/window/window-bounds.ts';

describe('an address of the window', () => {
  it.each([
    ['app://causeway/index.html', true],
    ['app://causeway/', true],
    ['app://elsewhere/index.html', false],
    ['app://causeway.example.com/', false],
    ['app://user@causeway/', false],
    ['app://causeway:80/', false],
    ['https://causeway/', false],
    ['file:///etc/passwd', false],
    ['javascript:alert(1)', false],
    ['', false],
    ['about:blank', false],
  ])('%s is its own: %s', (address, own) => {
    expect(isOwnAddress(address)).toBe(own);
  });
});

describe('a message to the main process', () => {
  const page = { ourWindow: true, mainFrame: true, url: 'app://causeway/index.html' };

  it.each([
    ['the page in our window', page, true],
    ['another window', { ...page, ourWindow: false }, false],
    ['a frame inside the page', { ...page, mainFrame: false }, false],
    ['another origin', { ...page, url: 'https://example.com/' }, false],
    ['a frame that is gone', { ...page, url: '' }, false],
  ])('from %s is accepted: %s', (_name, asker, allowed) => {
    expect(isTrustedSender(asker)).toBe(allowed);
  });
});

describe('a link for an AI client', () => {
  it.each([
    ['cursor://anysphere.cursor-deeplink/mcp/install?name=a', true],
    ['vscode:mcp/install?%7B%7D', true],
    ['vscode-insiders:mcp/install?%7B%7D', true],
    ['lmstudio://add_mcp?name=a', true],
    ['goose://extension?cmd=a', true],
    ['https://kiro.dev/launch/mcp/add?name=a', true],
    ['https://kiro.dev.example.com/', false],
    ['https://example.com/', false],
    ['file:///usr/bin/true', false],
    ['ms-settings:', false],
    ['javascript:alert(1)', false],
    ['', false],
  ])('%s is passed on: %s', (link, passed) => {
    expect(isClientUrl(link)).toBe(passed);
  });

  it('is any link that the table of clients can produce', () => {
    for (const { deepLink } of CLIENTS) {
      const link = deepLink?.('databricks-sql', { command: '/opt/causeway/causeway', args: ['proxy'] });
      if (link !== undefined) expect(isClientUrl(link)).toBe(true);
    }
  });
});

describe('the files behind app://causeway/', () => {
  const folder = join('/', 'application', 'out', 'renderer');

  it.each([
    ['app://causeway/index.html', join(folder, 'index.html'), 'text/html; charset=utf-8'],
    [
      'app://causeway/assets/index-1.js?v=1#top',
      join(folder, 'assets', 'index-1.js'),
      'text/javascript; charset=utf-8',
    ],
    ['app://causeway/assets/a%20b.css', join(folder, 'assets', 'a b.css'), 'text/css; charset=utf-8'],
    ['app://causeway/assets/inter.woff2', join(folder, 'assets', 'inter.woff2'), 'font/woff2'],
    ['app://causeway/assets/../icon.svg', join(folder, 'icon.svg'), 'image/svg+xml'],
  ])('%s is served', (address, path, type) => {
    expect(appFileOf(address, folder)).toEqual({ path, type });
  });

  it.each([
    'app://causeway/../main/index.js/../../../../../etc/passwd',
    'app://causeway/..%2fmain%2findex.js',
    'app://causeway/assets/..%2f..%2fmain%2findex.js',
    'app://causeway/..%5cmain%5cindex.js',
    'app://causeway/index.html%00.png',
    'app://causeway/%ff.html',
    'app://causeway/',
    'app://causeway/assets/index-1.js.map',
    'app://causeway/..%2frenderer-other%2fx.js',
    'app://elsewhere/index.html',
    'file:///application/out/renderer/index.html',
  ])('%s is not served', (address) => {
    expect(appFileOf(address, folder)).toBeUndefined();
  });

  it.each(['app://causeway/../main/index.js', 'app://causeway/%2e%2e/main/index.js'])('%s stays inside', (address) => {
    expect(appFileOf(address, folder)?.path).toBe(join(folder, 'main', 'index.js'));
  });

  it('are allowed nothing unsafe by their Content-Security-Policy', () => {
    const policy = contentSecurityPolicy('abc');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("'nonce-abc'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
  });
});

describe('the window opens', () => {
  const screens: Bounds[] = [
    { x: 0, y: 0, width: 1440, height: 900 },
    { x: 1440, y: 0, width: 1920, height: 1080 },
  ];
  const saved = { x: 1500, y: 40, width: 900, height: 700 };

  it.each([
    ['in its default size at first', undefined, DEFAULT_SIZE],
    ['where it was', saved, saved],
    ['in its default size if its screen is gone', { ...saved, x: 4000 }, DEFAULT_SIZE],
    ['in its default size if its title bar would be out of reach', { ...saved, y: -300 }, DEFAULT_SIZE],
    ['where it was, partly off the screen', { ...saved, x: 3200 }, { ...saved, x: 3200 }],
    ['no larger than its screen', { x: 0, y: 0, width: 5000, height: 5000 }, { x: 0, y: 0, width: 1440, height: 900 }],
    [
      'over the whole width of its screen if it was wider',
      { x: 1600, y: 100, width: 5000, height: 800 },
      { x: 1440, y: 100, width: 1920, height: 800 },
    ],
    ['no smaller than is usable', { x: 0, y: 0, width: 100, height: 10 }, { x: 0, y: 0, width: 320, height: 400 }],
  ])('%s', (_name, before, expected) => {
    expect(placeWindow(before, screens)).toEqual(expected);
  });

  it('at launch, unless the system launches it at login', () => {
    expect(opensWindowAtStart(['electron', '.'], true)).toBe(true);
    expect(opensWindowAtStart(['electron', '.', '--hidden'], true)).toBe(false);
  });

  it('at login only if the user wants it to', () => {
    expect(opensWindowAtStart(['electron', '.'], false)).toBe(false);
  });
});
