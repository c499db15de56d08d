import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningApplication, startApplication, whyNotHere } from './application.ts';
import { hasHands, takePicture, typePath } from './screen.ts';

const reason = whyNotHere(process.env);
const canType = reason === undefined && (await hasHands());
if (!reason && !canType) console.warn('The file dialogs are not typed into: there is no xdotool here.');

describe.skipIf(reason)('the file dialogs', { timeout: 120_000 }, () => {
  let application: RunningApplication;
  let page: Page;

  beforeAll(async () => {
    application = await startApplication();
    page = await application.window();
    await page.getByRole('button', { name: 'Change warehouse' }).waitFor();
  }, 60_000);
  afterAll(() => application?.close());

  const inHome = (...names: string[]) => join(application.home, ...names);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const go = async (screen: string) => {
    await page.getByRole('link', { name: screen, exact: true }).click();
    await page.getByRole('heading', { name: screen, level: 1 }).waitFor();
  };
  const overrides = async (name: string) => {
    const { workspace } = application;
    const [, ben] = workspace.users;
    const science = workspace.state.warehouses.find((warehouse) => warehouse.name === 'Data science');
    const file = inHome(name);
    await writeFile(file, `user_id,type,warehouse_id\n${ben?.id},CUSTOM,${science?.id}\n`);
    return file;
  };

  describe.skipIf(!canType)('of the system, with typed input', () => {
    it('save where the user says', async () => {
      const file = inHome('for the helper.txt');
      await go('Diagnostics');
      await button('Save').click();
      await takePicture('save-dialog');
      await typePath('Save diagnostics', file);
      await page.getByText(`Report saved to ${file}.`).waitFor();
      expect(await readFile(file, 'utf8')).toContain('Causeway');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    });

    it('open what the user chooses', async () => {
      const file = await overrides('changes.csv');
      await go('Overrides');
      await button('More actions').click();
      await page.getByRole('menuitem', { name: 'Import' }).click();
      await takePicture('open-dialog');
      await typePath('Import overrides', file);
      await page.getByText('ben@example.com').first().waitFor();
      await page.getByText('Data science').first().waitFor();
      await page.evaluate(() => window.causeway.request.dismissBulk());
    });
  });

  describe('with all kinds of answers', () => {
    /** What the dialogs answer from now on, and what they were asked with. */
    const answering = async (path: string | null) => {
      await application.electron.evaluate(({ dialog }, chosen) => {
        const offered: unknown[] = [];
        Object.assign(globalThis, { offered });
        const note = (given: unknown[]) => void offered.push(given.at(-1));
        dialog.showSaveDialog = async (...given: unknown[]) => {
          note(given);
          return { canceled: chosen === null, filePath: chosen ?? '' };
        };
        dialog.showOpenDialog = async (...given: unknown[]) => {
          note(given);
          return { canceled: chosen === null, filePaths: chosen === null ? [] : [chosen] };
        };
      }, path);
      return () => application.electron.evaluate((): unknown => Reflect.get(globalThis, 'offered'));
    };

    it('are offered a name among the user’s documents, and can be canceled', async () => {
      const offered = await answering(null);
      await go('Diagnostics');
      await button('Save').click();
      await expect.poll(offered).toMatchObject([
        {
          title: 'Save diagnostics',
          defaultPath: expect.stringMatching(/\/causeway-diagnostics\.txt$/),
          filters: [{ extensions: ['txt'] }],
        },
      ]);
      await expect.poll(() => button('Save').isEnabled()).toBe(true);
      expect(await page.getByText('Report saved to').count()).toBe(0);
      expect(await page.getByRole('alert').count()).toBe(0);

      await go('Overrides');
      await button('More actions').click();
      await page.getByRole('menuitem', { name: 'Import' }).click();
      await expect.poll(offered).toMatchObject([{}, { title: 'Import overrides', properties: ['openFile'] }]);
      await expect.poll(() => button('More actions').isEnabled()).toBe(true);
      expect(await page.getByRole('alert').count()).toBe(0);
    });

    it('overwrite an existing file', async () => {
      const file = inHome('there.txt');
      await writeFile(file, 'x'.repeat(100_000));
      await answering(file);
      await go('Diagnostics');
      await button('Save').click();
      await page.getByText(`Report saved to ${file}.`).waitFor();
      expect(await readFile(file, 'utf8')).not.toContain('xxxx');
    });

    it('report a file that cannot be written, and what to do', async () => {
      const file = inHome('no-such-folder', 'diagnostics.txt');
      await answering(file);
      await go('Diagnostics');
      await button('Save').click();
      await page.getByText(`${file} cannot be written: its folder does not exist.`).waitFor();
      await page.getByText('Create the folder, then try again.').waitFor();
    });

    it('report a file that cannot be read or holds nothing useful', async () => {
      const folder = inHome('a-folder.csv');
      await mkdir(folder);
      await go('Overrides');
      await answering(folder);
      await button('More actions').click();
      await page.getByRole('menuitem', { name: 'Import' }).click();
      await page.getByText('a-folder.csv cannot be read').waitFor();
      await answering(inHome('gone.csv'));
      await button('More actions').click();
      await page.getByRole('menuitem', { name: 'Import' }).click();
      await page.getByText('There is no file gone.csv.').waitFor();
    });

    it('read the file that was chosen', async () => {
      await answering(await overrides('others.csv'));
      await go('Overrides');
      await button('More actions').click();
      await page.getByRole('menuitem', { name: 'Import' }).click();
      await page.getByText('ben@example.com').first().waitFor();
      await page.getByText('others.csv').first().waitFor();
    });
  });
});
