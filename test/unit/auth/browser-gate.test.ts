import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { gatedBrowser, isPageOf } from '../../../main/auth/browser-gate.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describe('the system browser', () => {
  const hosts = [
    'https://acme.cloud.databricks.com',
    'http://acme.cloud.databricks.com',
    'http://127.0.0.1:8080',
    'http://localhost:8080',
    'http://[::1]:8080',
    'http://127.0.0.1.example.com',
  ];

  it.each([
    ['https://acme.cloud.databricks.com/oidc/v1/authorize?client_id=x', true],
    ['http://127.0.0.1:8080/oidc', true],
    ['http://localhost:8080/oidc', true],
    ['http://[::1]:8080/', true],
    ['https://acme.cloud.databricks.com.example.com/', false],
    ['https://acme.cloud.databricks.com:8443/', false],
    ['https://example.com/', false],
    ['http://127.0.0.1:9090/', false],
    ['http://acme.cloud.databricks.com/', false],
    ['http://127.0.0.1.example.com/', false],
    ['https://user:password@acme.cloud.databricks.com/', false],
    ['file:///etc/passwd', false],
    ['javascript:alert(1)', false],
    ['ms-msdt:/id', false],
    ['not an address', false],
  ])('can open %s: %s', (address, allowed) => {
    expect(isPageOf(address, hosts)).toBe(allowed);
  });

  it('is not asked for a page of another host, which a service may name', async () => {
    const opened: string[] = [];
    const open = gatedBrowser(
      async (address) => void opened.push(address),
      async () => hosts,
    );
    await expect(open('https://evil.example/sign-in')).rejects.toMatchObject({ code: 'usage' });
    await open('https://acme.cloud.databricks.com/');
    expect(opened).toEqual(['https://acme.cloud.databricks.com/']);
  });

  it('is reached by nothing that does not pass the gate', () => {
    const uses = (what: RegExp) =>
      globSync('{main,preload,renderer}/**/*.{ts,tsx}', { cwd: ROOT })
        .filter((file) => what.test(readFileSync(join(ROOT, file), 'utf8')))
        .toSorted();
    // Links to AI clients have a gate of their own there.
    expect(uses(/\bopenExternal\b/)).toEqual(['main/desktop/window/lockdown.ts']);
    expect(uses(/xdg-open|FileProtocolHandler|\/usr\/bin\/open\b/)).toEqual(['main/auth/oauth/open-browser.ts']);
    expect(uses(/\bopenSystemBrowser\b/)).toEqual(['main/auth/oauth/open-browser.ts', 'main/auth/open.ts']);
    expect(uses(/\bopenInSystemBrowser\b/)).toEqual([
      'main/desktop/menu/menu-command.ts',
      'main/desktop/window/lockdown.ts',
      'main/index.ts',
    ]);
    // The gate is built where the browser is given, and nowhere else.
    expect(uses(/\bgatedBrowser\(/)).toEqual(['main/auth/browser-gate.ts', 'main/auth/open.ts']);
  });
});
