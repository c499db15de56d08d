import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ANSWERS } from '../../../main/cli/answers/answers.ts';
import { startWorkspace } from '../../workspace/workspace.ts';
import { runCauseway } from '../auth/causeway-process.ts';
import { ownHome } from '../auth/own-home.ts';

/** `causeway clients test`: what a client will see, found out by starting what the client starts. */

const CODEX = '.codex/config.toml';

/** A home with a profile with a token, the SQL server in the list, and Codex. */
async function home(profile?: string) {
  const workspace = await startWorkspace({ autoApprove: 'ana@example.com', state: { startupMs: 20 } });
  onTestFinished(() => workspace.close());
  const token = workspace.users.find(({ admin }) => admin)?.token ?? '';
  const own = await ownHome(`[ana]\nhost = ${workspace.host}\n${profile ?? `token = ${token}\n`}`);
  onTestFinished(() => own.remove());
  await mkdir(join(own.folder, '.codex'));
  const causeway = (...args: string[]) => runCauseway(own, args);
  await causeway('servers', 'add', 'sql', '--profile', 'ana');
  await causeway('clients', 'add', 'codex');
  const file = join(own.folder, CODEX);
  return { workspace, own, causeway, file };
}

test('says how many tools the client will see, and when', async () => {
  const { causeway } = await home();
  const run = await causeway('clients', 'test', 'codex');
  expect([run.code, run.stderr]).toEqual([0, '']);
  expect(run.stdout).toMatch(/^OpenAI Codex will see [2-9] tools of databricks-sql after \d+\.\d s\.\n$/);
  const { tests } = ANSWERS['clients test'].parse(JSON.parse((await causeway('clients', 'test', '--json')).stdout));
  expect(tests).toMatchObject([{ client: 'codex', server: 'databricks-sql', limitMs: 30_000, error: null }]);
  expect(tests[0]?.tools).toContain('execute_sql');
});

describe('a set-up that is broken is explained', () => {
  test('whose executable has moved', async () => {
    const { causeway, file } = await home();
    await writeFile(file, (await readFile(file, 'utf8')).replace(/^command = .*/m, 'command = "/opt/gone/node"'));
    const run = await causeway('clients', 'test', 'codex');
    expect(run.code).toBe(4);
    expect(run.stderr).toBe(
      'OpenAI Codex will not see databricks-sql. The program /opt/gone/node does not exist. Repair them with: causeway clients repair.\n',
    );
    await causeway('clients', 'repair', 'codex');
    expect((await causeway('clients', 'test', 'codex')).code).toBe(0);
  });

  test('whose script has moved', async () => {
    const { causeway, file } = await home();
    await writeFile(file, (await readFile(file, 'utf8')).replace(/"[^"]*causeway\.js"/, '"/opt/gone/causeway.js"'));
    const run = await causeway('clients', 'test', 'codex');
    expect(run.code).toBe(5);
    expect(run.stderr).toMatch(
      /ended with exit code 1 before it answered: Error: Cannot find module '\/opt\/gone\/causeway.js'/,
    );
  });

  test('that is signed out, never used or used before', async () => {
    const { causeway, own, workspace } = await home('');
    const fresh = await causeway('clients', 'test');
    expect(fresh.code).toBe(3);
    expect(fresh.stderr).toBe(
      'OpenAI Codex will see only the tool sign_in of databricks-sql: you are not signed in. Sign in with: causeway login --profile ana.\n',
    );
    const token = workspace.users.find(({ admin }) => admin)?.token ?? '';
    await writeFile(own.configFile, `[ana]\nhost = ${workspace.host}\ntoken = ${token}\n`);
    expect((await causeway('clients', 'test')).code).toBe(0);
    await writeFile(own.configFile, `[ana]\nhost = ${workspace.host}\n`);
    const used = await causeway('clients', 'test');
    expect(used.code).toBe(3);
    expect(used.stderr).toMatch(
      /that it saw last, but its calls fail: you are not signed in\. Sign in with: causeway login/,
    );
  });

  test('whose profile is gone', async () => {
    const { causeway, own } = await home();
    await writeFile(own.configFile, '[ben]\nhost = https://ben.example.com\n');
    const run = await causeway('clients', 'test');
    expect(run.code).not.toBe(0);
    expect(run.stderr).toMatch(/OpenAI Codex will not see the tools of databricks-sql\. .*no profile "ana"/);
  });

  test('whose record of the home is gone', async () => {
    const { causeway, file } = await home();
    const record = /"([^"]*environment-[0-9a-f]+\.json)"/.exec(await readFile(file, 'utf8'))?.[1] ?? '';
    await rm(record);
    const run = await causeway('clients', 'test');
    expect(run.code).not.toBe(0);
    expect(run.stderr).toMatch(
      /OpenAI Codex will not see .*its record .* cannot be used, because it is not there.*clients repair/,
    );
  });

  test('that answers later than the client waits', async () => {
    const { causeway, file, own } = await home();
    const slow = join(own.notes, 'causeway');
    await writeFile(slow, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    await mkdir(join(own.folder, '.factory'));
    await causeway('clients', 'add', 'droid');
    const entries = join(own.folder, '.factory/mcp.json');
    await writeFile(
      entries,
      (await readFile(entries, 'utf8'))
        .replace(/"command": "[^"]*"/, `"command": ${JSON.stringify(slow)}`)
        .replace(/"[^"]*causeway\.js",\s*/, ''),
    );
    expect(await readFile(file, 'utf8')).toContain('proxy');
    const run = await causeway('clients', 'test', 'droid');
    expect(run.code).toBe(5);
    expect(run.stderr).toMatch(/Factory droid will not see databricks-sql\. It did not answer within 12 s/);
  }, 30_000);

  test('that has no entry, or is turned off', async () => {
    const { causeway, own } = await home();
    const none = await causeway('clients', 'test', 'cursor');
    expect([none.code, none.stderr]).toEqual([
      4,
      expect.stringMatching(/no entry of Causeway to test in cursor\..*causeway clients add/),
    ]);
    await mkdir(join(own.folder, '.cline'));
    await causeway('clients', 'add', 'cline');
    const file = join(own.folder, '.cline/data/settings/cline_mcp_settings.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"command"', '"disabled": true, "command"'));
    expect((await causeway('clients', 'test', 'cline')).stderr).toMatch(
      /it is turned off in .*cline_mcp_settings\.json/,
    );
    expect((await causeway('clients', 'test', 'nothing')).code).toBe(4);
  });
});
