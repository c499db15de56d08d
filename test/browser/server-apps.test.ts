import { describe, expect, it } from 'vitest';
import { useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('Databricks Apps among the servers, in the window', () => {
  const { shown, button, inspect, go, giveServer, openList } = useWindow();

  const state = (words: string) => shown.page.getByRole('status').filter({ hasText: words }).first().waitFor();
  const dialog = () => shown.page.getByRole('dialog', { name: 'Send your token to mcp-reports?' });
  const confirmed = async () => (await openList()).read().servers[0]?.confirmed;

  it('an address is reviewed and confirmed, and the stopped app is started', async () => {
    const reports = shown.workspace.state.apps.find(({ name }) => name === 'mcp-reports');
    if (reports) reports.canManage = new Set(['users']);
    await giveServer('reports', '/apps/mcp-reports/mcp', 'agent');
    await go('Servers');
    await state('Address not confirmed');
    await inspect('app-not-confirmed');
    await button('Review address of reports').click();
    const origin = await shown.workspace.apps.origin('mcp-reports');
    await dialog().getByText(origin).waitFor();
    await dialog().getByText('This is not a typical Databricks Apps address.').waitFor();
    await inspect('app-review');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await confirmed()).toBeUndefined();

    await button('Review address of reports').click();
    await dialog().getByRole('button', { name: 'Confirm address' }).click();
    await expect.poll(confirmed).toBe(origin);
    await state('Stopped');
    await inspect('app-stopped');
    await button('Start app of reports').click();
    await state('Running, ');
    await shown.page.getByText('mcp-reports is running').waitFor();
  });

  it('an app that has crashed is not said to be startable', async () => {
    await giveServer('broken', '/apps/mcp-broken/mcp', 'agent');
    await go('Servers');
    await button('Review address of broken').click();
    await shown.page.getByRole('dialog').getByText('The app has crashed.', { exact: true }).waitFor();
  });

  it('an address that cannot be read says why, and confirms nothing', async () => {
    await giveServer('reports', '/apps/mcp-reports/mcp', 'agent');
    await go('Servers');
    await state('Address not confirmed');
    shown.workspace.faults.add({
      path: '/api/2.0/apps/*',
      effect: { kind: 'answer', status: 403, body: '{"error_code":"PERMISSION_DENIED","message":"Not for you."}' },
      times: 'always',
    });
    await button('Review address of reports').click();
    await dialog().getByRole('alert').first().waitFor();
    expect(await dialog().getByRole('button', { name: 'Confirm address' }).isDisabled()).toBe(true);
    shown.workspace.faults.clear();
    await dialog().getByRole('button', { name: 'Try again' }).click();
    await dialog()
      .getByText(await shown.workspace.apps.origin('mcp-reports'))
      .waitFor();
  });
});
