import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLAUDE, CURSOR, GENIE, SQL, THEIRS, useClientsScreen } from './clients-screen.ts';
import { whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)(
  'entries that others change, and running clients, in the window',
  { timeout: 180_000 },
  () => {
    const {
      shown,
      button,
      inspect,
      go,
      file,
      read,
      haveServers,
      entries,
      client,
      dialog,
      turn,
      isOn,
      startClaude,
      knownToFail,
      openBackups,
      closed,
    } = useClientsScreen();

    it('an entry that another program changes is noticed and repaired', async () => {
      await haveServers(SQL);
      await file(CURSOR, '{}');
      await go('AI clients');
      await turn('databricks-sql', 'Cursor');
      await button('Add').click();
      await client('Cursor').getByText('Connected', { exact: true }).waitFor();
      const written = await read(CURSOR);
      await file(CURSOR, '{}');
      await client('Cursor').getByText('Removed from the file', { exact: true }).waitFor();
      await client('Cursor').getByText('databricks-sql was removed by another program.').waitFor();
      await inspect('clients-gone');
      await file(CURSOR, written.replace(SQL.path, '/api/2.0/mcp/other'));
      await client('Cursor').getByText('Changed outside Causeway').waitFor();
      await client('Cursor').getByText('databricks-sql was changed by another program.').waitFor();
      await inspect('clients-changed');
      await button('Repair…').click();
      await dialog('Repair Cursor').getByText('/api/2.0/mcp/other').waitFor();
      await inspect('clients-repair');
      await button('Repair').click();
      await closed();
      await client('Cursor').getByText('Connected', { exact: true }).waitFor();
      expect(await read(CURSOR)).toBe(written);
    });

    it('a change waits for a running client that would undo it', async () => {
      await haveServers(SQL);
      await file(CLAUDE, '{}');
      const running = await startClaude();
      await go('AI clients');
      await client('Claude Desktop').waitFor();
      await turn('databricks-sql', 'Claude Desktop');
      await dialog('Add databricks-sql').getByText('Quit Claude Desktop first').waitFor();
      await inspect('clients-running');
      await button('Add').click();
      await dialog('Add databricks-sql').getByText('Quit Claude Desktop, then try again').waitFor();
      await inspect('clients-still-running');
      expect(await read(CLAUDE)).toBe('{}');
      running.kill();
      await once(running, 'close');
      await button('Try again').click();
      await closed();
      expect(await entries(CLAUDE)).toEqual(['databricks-sql']);
      await client('Claude Desktop').getByText('Quit and reopen Claude Desktop.').waitFor();
    });

    it('a foreign entry in a running client is replaced only after a second confirmation', async () => {
      await haveServers(SQL);
      const theirs = '{"mcpServers":{"databricks-sql":{"command":"python"}}}';
      await file(CLAUDE, theirs);
      const running = await startClaude();
      await go('AI clients');
      await turn('databricks-sql', 'Claude Desktop');
      await button('Replace entry…').click();
      await dialog('Add databricks-sql').getByText('"proxy"').waitFor();
      await button('Add').click();
      await dialog('Add databricks-sql').getByText('Quit Claude Desktop, then try again').waitFor();
      expect(await read(CLAUDE)).toBe(theirs);
      await button('Add anyway').click();
      await closed();
      expect(await read(CLAUDE)).toContain('"proxy"');

      await openBackups();
      await shown.page.getByRole('button', { name: /^Restore Claude Desktop/ }).click();
      await button('Restore file').click();
      await dialog('Backups').getByText('Quit Claude Desktop, then try again').waitFor();
      expect(await read(CLAUDE)).toContain('"proxy"');
      await button('Restore anyway').click();
      await expect.poll(() => read(CLAUDE)).toBe(theirs);
      running.kill();
      await once(running, 'close');
    });

    it('a foreign entry is replaced only after the user confirms', async () => {
      await haveServers(SQL);
      await file(CURSOR, '{"mcpServers":{"databricks-sql":{"command":"python"}}}');
      await go('AI clients');
      await client('Cursor').getByText('Cursor has another entry named databricks-sql.').waitFor();
      await turn('databricks-sql', 'Cursor');
      await dialog('Add databricks-sql').getByText('that Causeway did not write').waitFor();
      await inspect('clients-foreign');
      expect(await button('Add').isDisabled()).toBe(true);
      await button('Replace entry…').click();
      await dialog('Add databricks-sql').getByText('"proxy"').waitFor();
      await button('Add').click();
      await closed();
      expect(await read(CURSOR)).toContain('"proxy"');
    });

    it('removing from one of two clients that share a file says who else loses the server', async () => {
      await haveServers(SQL);
      await file('.claude.json', '{}');
      await mkdir(join(shown.home, '.cursor'));
      await symlink(join(shown.home, '.claude.json'), join(shown.home, CURSOR));
      await go('AI clients');
      await button('Details of Cursor').click();
      await client('Cursor').getByText('shared with Claude Code').waitFor();
      await turn('databricks-sql', 'Cursor');
      await button('Add').click();
      await client('Claude Code').getByText('Connected', { exact: true }).waitFor();
      await closed();
      await turn('databricks-sql', 'Cursor');
      await dialog('Remove databricks-sql from Cursor').getByText('Claude Code').first().waitFor();
      await inspect('clients-shared-file');
      await button('Cancel').click();
      await closed();
      expect(await isOn('databricks-sql', 'Claude Code')).toBe(true);
    });

    it('an entry that would be written differently today works, and is updated', async () => {
      await haveServers(SQL);
      await file('.config/opencode/opencode.json', '{}');
      await go('AI clients');
      await turn('databricks-sql', 'opencode');
      await button('Add').click();
      await closed();
      const written = await read('.config/opencode/opencode.json');
      // As an earlier version wrote it, which gave no time.
      const record = join(shown.home, 'causeway/state/client-files.json');
      for (const path of [join(shown.home, '.config/opencode/opencode.json'), record]) {
        await writeFile(path, (await readFile(path, 'utf8')).replaceAll(/,\s*"timeout": ?300000/g, ''));
      }
      await client('opencode').getByText('Update available').waitFor();
      await inspect('clients-outdated');
      await button('Update…').click();
      await dialog('Update opencode').getByText('"timeout"').waitFor();
      await button('Update').click();
      await closed();
      expect(await read('.config/opencode/opencode.json')).toBe(written);
    });

    it('a backup restores the earlier content of a file', async () => {
      await haveServers(SQL);
      await file(CURSOR, THEIRS);
      await go('AI clients');
      await openBackups();
      await shown.page.getByText('No backups yet').waitFor();
      await inspect('clients-no-backups');
      await shown.page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
      await closed();
      await turn('databricks-sql', 'Cursor');
      await button('Add').click();
      await closed();
      await openBackups();
      await shown.page.getByRole('button', { name: /^Restore Cursor/ }).waitFor();
      await inspect('clients-backups');
      await shown.page.getByRole('button', { name: /^Restore Cursor/ }).click();
      await dialog('Backups').getByText('"databricks-sql": {').waitFor();
      await inspect('clients-restore');
      await button('Restore file').click();
      await shown.page
        .getByRole('button', { name: /^Restore Cursor/ })
        .nth(1)
        .waitFor();
      expect(await read(CURSOR)).toBe(THEIRS);
      await shown.page.keyboard.press('Escape');
      await closed();
      await client('Cursor').getByText('Not connected').waitFor();
    });

    it('orphaned entries of a removed server are removed', async () => {
      await haveServers(SQL, GENIE);
      await file(CURSOR, '{}');
      await go('AI clients');
      await knownToFail('genie-7191');
      await button('Add to all…').click();
      await button('Include anyway').click();
      await dialog('Add all servers').getByText('"genie-7191": {').waitFor();
      await button('Add').click();
      await closed();
      await haveServers(SQL);
      await go('Warehouse');
      await go('AI clients');
      await client('Cursor').getByText('genie-7191: no longer one of your servers.').waitFor();
      await inspect('clients-left-over');
      await button('Remove…').click();
      await dialog('Remove genie-7191 from Cursor').getByText('"genie-7191": {').waitFor();
      await button('Remove').click();
      await closed();
      expect(await entries(CURSOR)).toEqual(['databricks-sql']);
    });
  },
);
