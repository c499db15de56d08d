import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { serverListPath } from '../../main/platform/paths.ts';
import { useWindow, whyNotHere } from './shown-window.ts';

/** Each screen by its place in the address, and the request that it waits for. */
const WAITING = [
  ['clients', 'listClients'],
  ['activity', 'watchActivity'],
  ['overrides', 'readOverrides'],
  ['accounts', 'listAccounts'],
  ['settings', 'getSettings'],
] as const;

describe.skipIf(whyNotHere)('a screen with nothing to show', { timeout: 240_000 }, () => {
  const { shown, button, go, inspect, hold, reopenIn, giveServer } = useWindow();

  const show = (screen: string) =>
    shown.page.evaluate((name) => {
      location.hash = name;
    }, screen);
  const placeholders = () => shown.page.locator('.mantine-Skeleton-root');

  it.each(WAITING)('shows placeholders while %s is loading', async (screen, request) => {
    const release = await hold('request', `requests/causeway:${request}`);
    await show(screen);
    await placeholders().first().waitFor();
    await inspect(`loading-${screen}`);
    release();
    await placeholders().first().waitFor({ state: 'detached' });
  });

  it('shows placeholders while tools and warehouses are loading', async () => {
    const release = await hold('request', 'requests/causeway:listTools', 'requests/causeway:listWarehouses');
    await giveServer('sql', '/api/2.0/mcp/sql');
    await go('Servers');
    await shown.page.getByRole('link', { name: 'sql', exact: true }).click();
    await shown.page.getByRole('main').locator('.mantine-Skeleton-root').first().waitFor();
    await inspect('loading-tools');
    await go('Warehouse');
    await button('Change warehouse').click();
    await shown.page.getByRole('dialog').locator('.mantine-Skeleton-root').first().waitFor();
    await inspect('loading-warehouses');
    release();
    await shown.page.getByRole('radio', { name: /^Shared analytics/ }).waitFor();
  });

  it('names a list of servers that cannot be read, and its place in the file', async () => {
    const path = serverListPath({ CAUSEWAY_HOME: join(shown.home, 'causeway') });
    await writeFile(path, '{\n  "servers": [\n    { "name": "sql" }\n    { "name": "genie" }\n  ]\n}\n');
    await go('Servers');
    const alert = shown.page.getByRole('main').getByRole('alert');
    await alert.getByText(/servers\.json, line 4, column 5:/).waitFor();
    await inspect('servers-unreadable');
    await writeFile(path, '{}');
    await alert.waitFor({ state: 'detached' });
  });

  it('says what to do first if there is no workspace', async () => {
    await reopenIn(join(shown.home, 'empty'));
    const cases = [
      ['servers', 'Sign in first.'],
      ['clients', 'Add a server first.'],
      ['activity', 'Add a server first.'],
      ['overrides', 'Sign in to a workspace to see its overrides.'],
      ['accounts', 'Add your Databricks workspace by its URL.'],
    ] as const;
    for (const [screen, words] of cases) {
      await show(screen);
      await shown.page.getByText(words).waitFor();
      await inspect(`empty-${screen}`);
    }
  });
});
