import { describe, expect, it } from 'vitest';
import { largeCatalog } from '../workspace/large-catalog.ts';
import { useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('everything that the workspace offers, in the window', () => {
  const { shown, button, inspect, go, openList, hold } = useWindow();

  const dialog = () => shown.page.getByRole('dialog');
  const option = (name: string | RegExp) => dialog().getByRole('radio', { name });
  const field = (name: string) => shown.page.getByRole('textbox', { name });
  const words = (text: string | RegExp) => dialog().getByText(text).first().waitFor();
  const open = async () => {
    await go('Servers');
    await button('Add server').click();
  };
  const UC = '/api/2.1/unity-catalog/*';

  it('is shown in groups, and one item is added under the proposed name', async () => {
    await open();
    await option(/^GitHub/).waitFor();
    await words(/\d+ found · Left out: 1 app whose name does not begin with mcp-\./);
    for (const group of ['SQL', 'Genie', 'Vector search', 'Functions', 'MCP services', 'External servers', 'Apps']) {
      await dialog().getByRole('group', { name: group, exact: true }).waitFor();
    }
    await inspect('offered');
    await option(/^New York taxi trips/).check();
    await expect.poll(() => field('Name').inputValue()).toBe('new-york');
    await option(/^GitHub/).check();
    await expect.poll(() => field('Name').inputValue()).toBe('system-ai-github');
    await inspect('offered-chosen');
    await dialog().getByRole('button', { name: 'Add server', exact: true }).click();
    await shown.page.getByRole('heading', { level: 1, name: 'GitHub' }).waitFor();
    expect((await openList()).read().servers).toEqual([
      { name: 'system-ai-github', profile: 'ana', kind: 'other', path: '/ai-gateway/mcp-services/system.ai.github' },
    ]);
  });

  it('is searched by title and comment, even with the keyboard alone', async () => {
    await open();
    await option(/^GitHub/).waitFor();
    await field('Search the workspace').fill('nowhere');
    await words('No results for “nowhere”.');
    await field('Search the workspace').fill('support desk');
    await shown.page.keyboard.press('ArrowDown');
    expect(await option(/^main\.support\.tickets/).isChecked()).toBe(true);
    await inspect('offered-searched');
  });

  it('reviews the address of an app before it is added, and says if it cannot get a token', async () => {
    await open();
    await option(/^mcp-reports.*Stopped/).check();
    await inspect('offered-app');
    const agree = dialog();
    await dialog().getByRole('button', { name: 'Review address', exact: true }).click();
    await agree.getByText('Send your token to mcp-reports?').waitFor();
    await agree.getByRole('alert').waitFor();
    await inspect('confirm-app');
    expect(await agree.getByRole('button', { name: 'Confirm address' }).isDisabled()).toBe(true);
    await agree.getByRole('button', { name: 'Back' }).click();
    await option(/^mcp-reports/).waitFor();
    expect((await openList()).read().servers).toEqual([]);
  });

  it('shows placeholders, and is canceled when the dialog is closed', async () => {
    const answer = await hold('request', 'requests/causeway:findServers');
    await open();
    await words(/Searching the workspace · 0 found/);
    await inspect('offered-loading');
    answer();
    await option(/^GitHub/).waitFor();
    await shown.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });

    shown.workspace.state.replace(largeCatalog({ catalogs: 20, schemas: 20, services: 5 }));
    shown.workspace.faults.add({ path: UC, effect: { kind: 'delay', milliseconds: 50 }, times: 'always' });
    shown.workspace.requests.clear();
    await button('Add server').click();
    await expect.poll(() => shown.workspace.requests.count({ path: UC })).toBeGreaterThan(20);
    await shown.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    const underWay = () => shown.workspace.requests.list({ path: UC }).filter(({ ended }) => ended === undefined);
    await expect.poll(() => underWay().length).toBe(0);
    expect(shown.workspace.requests.count({ path: UC })).toBeLessThan(450);
  });

  it('says why it cannot be shown, and tries again', async () => {
    shown.workspace.faults.add({ path: '/api/2.*', effect: { kind: 'block-ip' }, times: 'always' });
    await open();
    await dialog().getByRole('alert').first().waitFor();
    await inspect('offered-failed');
    shown.workspace.faults.clear();
    await dialog().getByRole('button', { name: 'Try again' }).click();
    await option(/^GitHub/).waitFor();
  });

  it('shows part of a large workspace, and searches all of it on request', async () => {
    shown.workspace.state.replace(largeCatalog({ catalogs: 30, schemas: 30, services: 5 }));
    await open();
    await words(/Stopped after 500 requests/);
    await inspect('offered-part');
    await field('Search the workspace').fill('catalog_29.schema_28.service_03');
    await words('No results for');
    await dialog().getByRole('button', { name: 'Search all', exact: true }).click();
    await option(/^catalog_29\.schema_28\.service_03/).waitFor();
    await words('1 found');
    await inspect('offered-searched-whole');
  });
});
