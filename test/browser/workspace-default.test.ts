import { describe, expect, it } from 'vitest';
import { useWindow, whyNotHere } from './shown-window.ts';

const SCIENCE = 'b2d94c07a61e83f5';
const STARTER = '3f0c8a1d5e7b2946';
const SHARED = '8baced1ff014912d';

describe.skipIf(whyNotHere)('the workspace default in the window', () => {
  const { shown, button, more, answer, inspect, chooseProfile, shownProfile } = useWindow();

  const dialog = () => shown.page.getByRole('dialog', { name: 'Change workspace default' });
  const now = () => shown.workspace.state.workspaceDefaultWarehouseId;
  const open = async () => {
    await more('Change workspace default');
    await dialog().getByText('The workspace default is Starter Warehouse.').waitFor();
  };
  const pick = async (name: RegExp) => {
    await dialog().getByRole('radio', { name }).check();
    await dialog().getByRole('button', { name: 'Set default' }).click();
  };

  it('an admin sees whom a change concerns, and sets another one', async () => {
    shown.workspace.state.overrides.set('8241', { userId: '8241', type: 'CUSTOM', warehouseId: SCIENCE });
    await open();
    await dialog().getByText('everyone without an override of their own: 2 of 3 users.').waitFor();
    await dialog()
      .getByRole('radio', { name: /^Starter Warehouse/ })
      .waitFor();
    expect(await button('Set default').isDisabled()).toBe(true);
    await inspect('workspace-default');
    await pick(/^Data science/);
    await shown.page.getByText('Data science is the workspace default now.').waitFor();
    await dialog().waitFor({ state: 'detached' });
    expect(now()).toBe(SCIENCE);
    await expect.poll(answer).toBe('Your queries run on Data science');
  });

  it('an admin removes it', async () => {
    await open();
    await button('Clear default').click();
    const question = shown.page.getByRole('dialog', { name: 'Clear the workspace default?' });
    await question.getByText('3 of 3 users.').waitFor();
    await inspect('workspace-default-question');
    expect(now()).toBe(STARTER);
    await question.getByRole('button', { name: 'Clear default' }).click();
    await shown.page
      .locator('.mantine-Notification-description', { hasText: 'The workspace has no default now.' })
      .waitFor();
    await shown.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(now()).toBeUndefined();
    await more('Change workspace default');
    await dialog().getByText('The workspace has no default.').waitFor();
    await expect.poll(() => button('Clear default').count()).toBe(0);
  });

  it('a change that was made meanwhile is not overwritten, but shown', async () => {
    await open();
    shown.workspace.state.setWorkspaceDefault(SHARED);
    await pick(/^Data science/);
    await dialog().getByText('Someone else has changed the workspace default in the meantime.').waitFor();
    await dialog().getByText('The workspace default is Shared analytics.').waitFor();
    expect(now()).toBe(SHARED);
    await inspect('workspace-default-changed');
    await dialog().getByRole('button', { name: 'Set default' }).click();
    await shown.page.getByText('Data science is the workspace default now.').waitFor();
    expect(now()).toBe(SCIENCE);
  });

  it('a workspace without the preview says so', async () => {
    shown.workspace.features.defaultWarehouseSetting = false;
    await more('Change workspace default');
    await dialog().getByText('This workspace does not offer its default warehouse to other programs.').waitFor();
    await inspect('workspace-default-unavailable');
  });

  it('a user who is not an admin only reads it', async () => {
    await chooseProfile('ben');
    await expect.poll(shownProfile).toBe('ben');
    await button('More actions').click();
    await shown.page.getByRole('menuitem', { name: 'Verify', exact: true }).waitFor();
    expect(await shown.page.getByRole('menuitem', { name: 'Change workspace default' }).count()).toBe(0);
    await shown.page.keyboard.press('Escape');
    const chain = shown.page.getByRole('listitem').filter({ hasText: 'Workspace default' });
    await chain.getByText('Starter Warehouse').waitFor();
  });
});
