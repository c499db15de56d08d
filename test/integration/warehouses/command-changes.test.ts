import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandChanges, follow } from '../../../main/warehouses/command-changes.ts';
import { type CommandLine, openCommandLine, USERS, WAREHOUSES } from './harness.ts';

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli[Symbol.asyncDispose]());

const noted = () => commandChanges(cli.env);
const CUSTOM = { type: 'CUSTOM', warehouseId: WAREHOUSES.science };

describe('the command', () => {
  it('records what it did to the user’s own override, whichever subcommand it was, newest first', async () => {
    await cli.run('ana', 'warehouse', 'set', 'Data science');
    await cli.run('ben', 'warehouse', 'last-selected');
    await cli.run('ana', 'warehouse', 'clear');
    await cli.run('ana', 'warehouses', 'create-default-warehouse-override', 'me', 'LAST_SELECTED');
    const { host } = cli.workspace;
    expect(await noted()).toEqual([
      { at: expect.any(Number), host, profile: 'ana', user: 'me', to: { type: 'LAST_SELECTED', warehouseId: null } },
      { at: expect.any(Number), host, profile: 'ana', user: 'me', to: null },
      { at: expect.any(Number), host, profile: 'ben', user: 'me', to: { type: 'LAST_SELECTED', warehouseId: null } },
      { at: expect.any(Number), host, profile: 'ana', user: 'me', to: CUSTOM },
    ]);
  });

  it('records an override as the workspace then has it if only one field was changed', async () => {
    await cli.run('ana', 'warehouse', 'set', 'Starter Warehouse');
    const name = 'default-warehouse-overrides/me';
    const args = ['update-default-warehouse-override', name, 'warehouse_id', 'CUSTOM'];
    expect(await cli.run('ana', 'warehouses', ...args, '--warehouse-id', WAREHOUSES.science)).toMatchObject({
      code: 0,
    });
    const changes = await noted();
    expect(changes).toHaveLength(2);
    expect(changes[0]?.to).toEqual(CUSTOM);
  });

  it('records neither what was refused nor what was done to a user whom the application does not follow', async () => {
    expect(await cli.run('ben', 'warehouse', 'for', USERS.ana, 'clear')).not.toMatchObject({ code: 0 });
    await cli.run('ana', 'warehouse', 'for', USERS.ben, 'set', 'Data science');
    cli.workspace.faults.add({ path: '/api/warehouses/*', effect: { kind: 'block-ip' }, times: 'always' });
    await cli.run('ana', 'warehouse', 'clear');
    expect(await noted()).toEqual([]);
  });

  it('records under a user id what any subcommand did to a user whom the application follows', async () => {
    const { host } = cli.workspace;
    await follow(cli.env, { host, user: USERS.ben });
    await follow(cli.env, { host: 'https://elsewhere.example.com', user: USERS.chloe });
    await cli.run('ana', 'warehouse', 'for', 'ben@example.com', 'set', 'Data science');
    await cli.run('ana', 'warehouse', 'for', USERS.chloe, 'set', 'Data science');
    await cli.run('ana', 'warehouses', 'delete-default-warehouse-override', USERS.ben);
    const file = join(cli.env.CAUSEWAY_HOME ?? '', 'overrides.csv');
    await writeFile(file, `user,type,warehouse\n${USERS.ben},LAST_SELECTED,\n${USERS.chloe},LAST_SELECTED,\n`);
    expect(await cli.run('ana', 'warehouse', 'import', file, '--yes')).toMatchObject({ code: 0 });
    expect(cli.workspace.state.overrides.get(USERS.chloe)).toMatchObject({ type: 'LAST_SELECTED' });
    expect(await noted()).toEqual([
      {
        at: expect.any(Number),
        host,
        profile: 'ana',
        user: USERS.ben,
        to: { type: 'LAST_SELECTED', warehouseId: null },
      },
      { at: expect.any(Number), host, profile: 'ana', user: USERS.ben, to: null },
      { at: expect.any(Number), host, profile: 'ana', user: USERS.ben, to: CUSTOM },
    ]);
  });

  it('records a change whose response was lost, because it may have been made', async () => {
    const path = '/api/warehouses/v1/default-warehouse-overrides/*';
    cli.workspace.faults.add({ path, method: 'PATCH', effect: { kind: 'html', status: 502 }, times: 'always' });
    await cli.run('ana', 'warehouse', 'set', 'Data science');
    expect(await noted()).toMatchObject([{ to: CUSTOM }]);
  });

  it('changes an override even if that cannot be recorded', async () => {
    const file = join(cli.env.CAUSEWAY_HOME ?? '', 'state');
    await writeFile(file, '');
    expect(await cli.run('ana', 'warehouse', 'set', 'Data science')).toMatchObject({ code: 0 });
    expect(cli.workspace.state.overrides.get(USERS.ana)).toMatchObject(CUSTOM);
  });
});
