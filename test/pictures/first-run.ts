import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunningApplication } from '../desktop/application.ts';
import { scriptedBrowser } from '../integration/auth/scripted-browser.ts';
import type { TakePicture } from './camera.ts';

/** Walks through the first run; gives the names of its pictures in their order. */
export async function photographFirstRun(application: RunningApplication, takePicture: TakePicture): Promise<string[]> {
  const { electron, workspace, home } = application;
  for (const folder of ['.cursor', '.codex']) await mkdir(join(home, folder));
  const page = await application.window();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const names: string[] = [];
  const take = async (name: string) => {
    await takePicture(page, name);
    names.push(name);
  };
  // The user's browser is a scripted one: what it is to open is kept.
  await electron.evaluate(({ shell }) => {
    shell.openExternal = async (address) => {
      Object.assign(globalThis, { openedInBrowser: address });
    };
  });
  const opened = () => electron.evaluate(() => String(Reflect.get(globalThis, 'openedInBrowser') ?? ''));

  await heading('Connect your Databricks workspace');
  await take('first-run-1');
  await page.getByRole('textbox', { name: 'Workspace URL' }).fill(workspace.host);
  await page.getByRole('textbox', { name: 'Name' }).fill('work');
  await take('first-run-2');
  await button('Continue').click();

  await button('Copy link').waitFor();
  await take('first-run-3');
  let address = await opened();
  for (; !address; address = await opened()) await pause(50);
  workspace.approve({ as: 'ana@example.com' });
  await scriptedBrowser().open(address);

  await heading('Choose servers');
  await page.getByRole('checkbox', { name: 'New York taxi trips' }).waitFor();
  await page.getByRole('checkbox', { name: 'New York taxi trips' }).check();
  await take('first-run-4');
  await button('Add 2 servers').click();

  await heading('Connect your AI clients');
  await page.getByRole('checkbox', { name: 'Cursor' }).waitFor();
  await take('first-run-5');
  await button('Add to 2 clients').click();

  await heading('You’re all set');
  await take('first-run-6');
  await button('Open Causeway').click();
  await button('Change warehouse').waitFor();
  await take('first-run-7');
  return names;
}
