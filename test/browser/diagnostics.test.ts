import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('the diagnostics', () => {
  const { shown, button, inspect, go, reopenIn } = useWindow();
  const check = (title: string) => shown.page.getByRole('listitem', { name: title, exact: true });

  it('the checks run when the user starts them, and say what is in order', async () => {
    await go('Diagnostics');
    await button('Run checks').waitFor();
    await inspect('diagnostics');
    await button('Run checks').click();
    await button('Run again').waitFor();
    await check('Network').getByText('OK').waitFor();
    await check('Sign-in').getByText('Signed in as ana@example.com.').waitFor();
    await inspect('diagnostics-run');
  });

  it('each finding links to the screen that fixes it', async () => {
    await appendFile(shown.workspace.profileFile, '\n[broken]\ntoken = dapi0\n');
    await go('Diagnostics');
    await button('Run checks').click();
    await check('Configuration file').getByText('Warning', { exact: true }).waitFor();
    await button('Run again').waitFor();
    await inspect('diagnostics-findings');
    await check('Configuration file').getByRole('button', { name: 'Open Accounts' }).click();
    await shown.page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
  });

  it('the run can be canceled, even by the keyboard', async () => {
    shown.workspace.faults.add({
      path: '/api/2.0/mcp/sql',
      method: 'POST',
      effect: { kind: 'stall', milliseconds: 60_000 },
      times: 'always',
    });
    await go('Diagnostics');
    await button('Run checks').focus();
    await shown.page.keyboard.press('Enter');
    await check('Network').getByText('Checking').waitFor();
    await inspect('diagnostics-running');
    await button('Cancel').focus();
    await shown.page.keyboard.press('Enter');
    await button('Run again').waitFor();
    await check('Warehouse').getByText('Unknown').waitFor();
  });

  it('the report can be read, copied and saved, and holds no secret', async () => {
    await go('Diagnostics');
    await button('Preview').click();
    const dialog = shown.page.getByRole('dialog', { name: 'Support report' });
    await dialog.getByText('## Profiles').waitFor();
    await inspect('diagnostics-report');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    await button('Copy').click();
    await shown.page.getByText('Report copied').waitFor();
    const [text = ''] = shown.server.copied;
    expect(text).toContain('## Log');
    for (const { token } of shown.workspace.users) expect(text).not.toContain(token);

    const folder = await mkdtemp(join(tmpdir(), 'causeway-report-'));
    shown.server.fileAnswers.push(join(folder, 'report.txt'));
    await button('Save').click();
    await shown.page.getByText(`Report saved to ${join(folder, 'report.txt')}.`).waitFor();
    expect(await readFile(join(folder, 'report.txt'), 'utf8')).toContain('## Checks');
    shown.server.fileAnswers.push(join(folder, 'nowhere', 'report.txt'));
    await button('Save').click();
    await shown.page.getByRole('alert').getByText('cannot be written').waitFor();
    await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 100 });
  });

  it('the checks say that there is nothing yet if nothing is set up', async () => {
    await reopenIn(join(shown.home, 'empty'));
    await go('Diagnostics');
    await button('Run checks').click();
    await check('Configuration file').getByText('No workspace connected yet.').waitFor();
    await check('Clock').getByText('Not applicable').waitFor();
  });
});
