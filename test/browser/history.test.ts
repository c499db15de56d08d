import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../integration/warehouses/harness.ts';
import { useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('the history of the override in the window', () => {
  const { shown, button, choose, more, answer, overrideOf, inspect, go } = useWindow();

  it('the history lists changes made here, by the command and elsewhere, and sets one back after asking', async () => {
    const section = shown.page.getByRole('region', { name: 'History' });
    await choose('Data science');
    await section.getByText('No override → Data science').waitFor();
    await section.getByText('You · just now').waitFor();
    const ana = shown.workspace.users.find(({ userName }) => userName === 'ana@example.com')?.id ?? '';
    shown.workspace.state.overrides.set(ana, { userId: ana, type: 'LAST_SELECTED', warehouseId: undefined });
    await button('Refresh').click();
    await section.getByText('Data science → Last selected').waitFor();
    await section.getByText('Outside Causeway · just now').waitFor();
    const args = ['warehouse', 'set', 'Shared analytics', '--profile', 'ana'];
    const env = { HOME: shown.home, CAUSEWAY_HOME: join(shown.home, 'causeway') };
    expect(await runCommand(env, args)).toMatchObject({ code: 0 });
    await button('Refresh').click();
    await section.getByText('Last selected → Shared analytics').waitFor();
    await section.getByText('causeway command · just now').waitFor();
    await inspect('history');

    await button('Restore Data science').click();
    await shown.page.getByRole('dialog').getByText('New queries run on Data science.').waitFor();
    await inspect('history-question');
    await button('Restore override').click();
    await shown.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await answer()).toBe('Your queries run on Data science');
    await section.getByText('Shared analytics → Data science').waitFor();

    await button('Show all 4').click();
    await section.getByRole('listitem').filter({ hasText: 'No override → Data science' }).getByRole('button').click();
    await shown.page.getByText('Queries will run on Starter Warehouse, the workspace default.').waitFor();
    await button('Restore override').click();
    await shown.page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(overrideOf('ana@example.com')).toBeUndefined();
    await expect.poll(() => section.getByRole('listitem').count()).toBe(5);
  });

  it('the history lists what the command changed under a user id and by an import', async () => {
    const section = shown.page.getByRole('region', { name: 'History' });
    const env = { HOME: shown.home, CAUSEWAY_HOME: join(shown.home, 'causeway') };
    const run = async (...args: string[]) =>
      expect(await runCommand(env, [...args, '--profile', 'ana'])).toMatchObject({ code: 0 });
    const newest = (words: string) =>
      section
        .getByRole('listitem')
        .first()
        .filter({ hasText: words })
        .filter({ hasText: 'causeway command' })
        .waitFor();
    await answer();
    await run('warehouse', 'for', 'ana@example.com', 'set', 'Data science', '--yes');
    await button('Refresh').click();
    await newest('No override → Data science');
    const file = join(shown.home, 'overrides.json');
    await writeFile(file, JSON.stringify([{ user_name: 'ana@example.com', type: 'LAST_SELECTED' }]));
    await run('warehouse', 'import', file, '--yes');
    await button('Refresh').click();
    await newest('Data science → Last selected');
  });

  it('a change that was part of a bulk change counts as made here', async () => {
    await answer();
    const file = join(shown.home, 'wanted.csv');
    await writeFile(file, 'user,type,warehouse\nana@example.com,,Data science\n');
    shown.server.fileAnswers.push(file);
    await go('Overrides');
    await more('Import');
    await button('Apply 1 change').click();
    await shown.page.getByText('1 override changed').waitFor();
    await go('Warehouse');
    const section = shown.page.getByRole('region', { name: 'History' });
    await section.getByText('No override → Data science').waitFor();
    await section.getByText('You ·').waitFor();
  });
});
