import { readFile } from 'node:fs/promises';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { locked } from '../integration/policy/managed-home.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import { Account } from './account.ts';
import { connect, query } from './ai-client.ts';
import { cursorFile, entryOfCursor, OTHER_ENTRY, writeCursorFile } from './application.ts';
import { aptOn, packageState, purge, purgeAll } from './apt.ts';
import { difference, filesIn, systemFiles } from './file-list.ts';
import { ManagedComputer } from './managed-computer.ts';

const ELSEWHERE = 'https://elsewhere.cloud.databricks.com';
const REASON = 'Customer data stays in our workspace';
const MANAGED = /Managed by your organization/;
const NOT_PERMITTED = /Permission denied|Operation not permitted|cannot remove|cannot create/;

/** The installed package, where an administrator has locked a policy that its user tries to get around. */
describe.skipIf(inject('reason'))('the .deb under a locked policy', () => {
  const older = inject('older');
  const newer = inject('newer');
  let workspace: EmbeddedWorkspace;
  let account: Account;
  let computer: ManagedComputer;
  let client: Client;
  let before: string[];

  beforeAll(async () => {
    account = Account.create();
    workspace = await startWorkspace({ home: account.home });
    computer = await ManagedComputer.start({
      organization: 'Acme',
      workspaces: locked([workspace.host], REASON),
      readOnly: locked(true),
      requiredClients: locked(['cursor']),
    });
    account.enter(computer.prefix);
    await writeCursorFile(account);
    before = [...(await systemFiles()), ...(await filesIn(account.home))];
  });
  afterAll(async () => {
    await client?.close();
    Account.remove();
    purge();
    await computer?.end();
    await workspace?.close();
  });

  /** What the user sees of a line that they type, whether or not it fails. */
  const tries = (line: string) => account.types(`{ ${line}; } 2>&1 || true`);

  it('is in force for whoever uses the installed command', async () => {
    await aptOn(computer.prefix, 'install', older.deb);
    expect(await account.types('causeway policy show')).toContain('/etc/causeway/policy.json');
    await account.types('causeway servers add sql');
    await account.types('causeway clients add cursor');
    // The user keeps the command of this version.
    await account.types('cp -r /usr/lib/causeway/resources/bin old-causeway');
    await aptOn(computer.prefix, 'install', newer.deb);
    expect(await account.types('old-causeway/causeway --version')).toBe(`${older.version}\n`);
  });

  it.each([
    ['signs in to another workspace', `causeway login --host ${ELSEWHERE} --no-browser`, MANAGED],
    [
      'names it in the environment',
      `DATABRICKS_CONFIG_FILE=/none DATABRICKS_HOST=${ELSEWHERE} DATABRICKS_TOKEN=own causeway whoami`,
      MANAGED,
    ],
    [
      'moves every folder in the environment',
      `HOME=/tmp/none CAUSEWAY_HOME=/tmp/none XDG_CONFIG_HOME=/tmp/none CAUSEWAY_POLICY=/dev/null causeway login --host ${ELSEWHERE} --no-browser`,
      MANAGED,
    ],
    ['names another policy in the arguments', 'causeway --policy /dev/null whoami', /unknown option/],
    [
      'writes their own policy file',
      `mkdir -p .config/causeway && echo '{"version":1}' | tee .config/causeway/policy.json policy.json && causeway login --host ${ELSEWHERE} --no-browser`,
      MANAGED,
    ],
    [
      'runs their own copy of an older version',
      `old-causeway/causeway login --host ${ELSEWHERE} --no-browser`,
      MANAGED,
    ],
    ['writes over the policy', `echo '{"version":1}' >/etc/causeway/policy.json`, NOT_PERMITTED],
    ['deletes the policy', 'rm -f /etc/causeway/policy.json', NOT_PERMITTED],
    ['moves the policy’s folder away', 'mv /etc/causeway /etc/other', NOT_PERMITTED],
    ['removes a required entry', 'causeway clients remove cursor', MANAGED],
    ['removes Causeway', 'causeway uninstall --yes --force', MANAGED],
    ['removes it with their own copy', 'old-causeway/causeway uninstall --yes --force', MANAGED],
    ['pretends to be the administrator who removes it', 'mkdir /run/causeway', NOT_PERMITTED],
  ])('refuses a user who %s', async (_, line, refusal) => {
    expect(await tries(line)).toMatch(refusal);
    expect(await tries('causeway policy show')).toContain(REASON);
    expect(await entryOfCursor(account)).toBeDefined();
  });

  it('lets an AI client of the user read, and not write', async () => {
    client = await connect(account, await entryOfCursor(account));
    expect(await query(client, 'SELECT 41 + 1 AS answer')).toContain('42');
    const answer = await client.callTool({ name: 'execute_sql', arguments: { query: 'DROP TABLE sales' } });
    expect(JSON.stringify(answer)).toContain('the organization allows only read-only tools');
    await client.close();
  });

  it('lets the administrator remove everything, and keeps only their policy', async () => {
    const policy = computer.policy();
    const told = await aptOn(computer.prefix, 'purge', 'causeway');
    expect(told).toContain(`Removing what Causeway has left for ${account.name}:`);
    expect(told).toContain('The policy of your organization stays: /etc/causeway/policy.json');
    expect(packageState()).toBe('');
    expect(await readFile(cursorFile(account), 'utf8')).toBe(OTHER_ENTRY);
    expect(computer.policy()).toBe(policy);
    await account.types('rm -r old-causeway policy.json');
    purgeAll(inject('dependencies'));
    expect(difference(before, [...(await systemFiles()), ...(await filesIn(account.home))])).toEqual([]);
  });
});
