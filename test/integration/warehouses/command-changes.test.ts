import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { DesktopModel } from '../../../main/desktop/model.ts';
import { OverrideHistory } from '../../../main/desktop/warehouse/override-history.ts';
import { type CommandLine, openCommandLine, USERS } from './harness.ts';

let cli: CommandLine;
const ends: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await cli[Symbol.asyncDispose]();
});

/** The running application, as far as it serves the command and follows the override of a profile. */
async function application(profile: string) {
  const causeway = createCauseway({ env: cli.env });
  const model = new DesktopModel(causeway);
  const history = new OverrideHistory(cli.env, () => undefined);
  let reads = 0;
  model.onOverrideRead((effective, by) => {
    reads += 1;
    void history.saw(effective, by);
  });
  const hub = await causeway.serveProxies({ onOverrideChanged: (host) => model.commandChanged(host) });
  ends.push(
    () => causeway.close(),
    () => model.close(),
    () => hub.close(),
  );
  await model.open(profile);
  return {
    /** The changes, once the application has read the override again. */
    changes: async () => {
      await model.checkAgain();
      return history.of(profile);
    },
    reads: () => reads,
  };
}

it('a running application knows at once what the command has changed, whichever subcommand it was', async () => {
  const { changes } = await application('ana');
  await cli.run('ana', 'warehouse', 'set', 'Data science');
  expect(await changes()).toMatchObject([{ by: 'command', after: { warehouseName: 'Data science' } }]);
  await cli.run('ana', 'warehouses', 'delete-default-warehouse-override', 'me');
  expect(await changes()).toMatchObject([{ by: 'command', after: null }, { by: 'command' }]);
});

it('a change of the user’s override under a user id, alone or in an import, is known as the command’s', async () => {
  const { changes } = await application('ben');
  await cli.run('ana', 'warehouse', 'for', 'ben@example.com', 'set', 'Data science', '--yes');
  expect(await changes()).toMatchObject([{ by: 'command', after: { warehouseName: 'Data science' } }]);
  const file = join(cli.env.CAUSEWAY_HOME ?? '', 'overrides.csv');
  await writeFile(file, `user,type,warehouse\n${USERS.ben},LAST_SELECTED,\n${USERS.chloe},LAST_SELECTED,\n`);
  expect(await cli.run('ana', 'warehouse', 'import', file, '--yes')).toMatchObject({ code: 0 });
  expect(await changes()).toMatchObject([{ by: 'command', after: { type: 'LAST_SELECTED' } }, { by: 'command' }]);
});

it('a change whose response was lost is known as the command’s, because it may have been made', async () => {
  const { changes } = await application('ana');
  const path = '/api/warehouses/v1/default-warehouse-overrides/*';
  cli.workspace.faults.add({
    path,
    method: 'PATCH',
    effect: { kind: 'drop', when: 'before-headers' },
    times: 'always',
  });
  await cli.run('ana', 'warehouse', 'set', 'Data science');
  expect(await changes()).toMatchObject([{ by: 'command', after: { warehouseName: 'Data science' } }]);
});

it('a running application reads the effective warehouse again after a change of the workspace default', async () => {
  const { reads, changes } = await application('ana');
  await cli.run('ana', 'warehouse', 'default', 'set', 'Data science', '--yes');
  await expect.poll(reads).toBe(2);
  expect(await changes()).toEqual([]);
});

it('what was refused, and a change by someone else, are not the command’s', async () => {
  const { changes, reads } = await application('ana');
  expect(await cli.run('ben', 'warehouse', 'for', USERS.ana, 'clear', '--yes')).not.toMatchObject({ code: 0 });
  expect(reads()).toBe(1);
  cli.give('ana');
  expect(await changes()).toMatchObject([{ by: 'elsewhere' }]);
});

it('a change that the application was not running for is one from elsewhere', async () => {
  const first = await application('ana');
  expect(await first.changes()).toEqual([]);
  for (const end of ends.splice(0).reverse()) await end();
  expect(await cli.run('ana', 'warehouse', 'set', 'Data science')).toMatchObject({ code: 0 });
  const { changes } = await application('ana');
  expect(await changes()).toMatchObject([{ by: 'elsewhere' }]);
});
