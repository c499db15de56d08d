import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allServers } from '../../../main/clients/all-servers.ts';
import { CURSOR, fileOf, ownClients, SQL } from './own-clients.ts';

/** Entries of ours that a user has wrapped with another command, and those whose program has moved. */

const SCRIPT = '.local/causeway.js';

/** Cursor with an entry of Node and a script, and a function that wraps it. */
async function wrapped(own: Awaited<ReturnType<typeof ownClients>>) {
  await mkdir(join(own.home, '.local'));
  const [script, node] = [join(own.home, SCRIPT), join(own.home, '.local/node')];
  await writeFile(script, '');
  await writeFile(node, '', { mode: 0o755 });
  await own.file(CURSOR, '{}');
  const service = own.service({ command: node, script });
  await service.add(['cursor'], [SQL]);
  const original = await own.read(CURSOR);
  const entry = JSON.parse(original).mcpServers['databricks-sql'];
  const wrap = async (...words: string[]) => {
    const [command, ...args] = [...words, entry.command, ...entry.args];
    await own.file(CURSOR, JSON.stringify({ mcpServers: { 'databricks-sql': { command, args } } }));
  };
  return { service, node, script, wrap, entry };
}

describe('an entry that a user has wrapped', () => {
  const PROXY = ['env', '-u', 'NO_PROXY', 'HTTPS_PROXY=http://proxy.example.com:3128'];

  test('is ours as it is', async () => {
    await using own = await ownClients();
    const { service, wrap } = await wrapped(own);
    await wrap(...PROXY);
    const before = await own.read(CURSOR);
    const [report] = await service.surveyOf(['cursor'], [SQL]);
    expect(report?.files[0]?.entries).toEqual({ 'databricks-sql': 'current' });
    expect(await service.add(['cursor'], [SQL])).toMatchObject([{ result: 'unchanged' }]);
    expect(await own.read(CURSOR)).toBe(before);
  });

  test('is repaired within what it is wrapped with', async () => {
    await using own = await ownClients();
    const { service, wrap, entry } = await wrapped(own);
    entry.args = entry.args.with(entry.args.length - 1, '/api/2.0/mcp/other');
    await wrap(...PROXY);
    await service.repair(['cursor'], [SQL]);
    const { command, args } = JSON.parse(await own.read(CURSOR)).mcpServers['databricks-sql'];
    expect([command, ...args].slice(0, 4)).toEqual(PROXY);
    expect(args.at(-1)).toBe(SQL.path);
  });

  test('can be removed', async () => {
    await using own = await ownClients();
    const { service, wrap } = await wrapped(own);
    await wrap(...PROXY);
    await service.remove(['cursor'], ['databricks-sql']);
    expect(await own.read(CURSOR)).not.toContain('databricks-sql');
  });

  test('can be removed without a record of what was written', async () => {
    await using own = await ownClients();
    const { service, wrap } = await wrapped(own);
    await wrap('/usr/bin/env', 'A=b');
    await rm(join(own.home, '..', 'state'), { recursive: true });
    expect(await service.ownNames([])).toEqual(['databricks-sql']);
  });
});

describe('an entry whose script has moved', () => {
  test('is shown as one that starts nothing, wrapped or not', async () => {
    await using own = await ownClients();
    const { service, wrap, script } = await wrapped(own);
    await rm(script);
    const state = async () => (await service.surveyOf(['cursor'], [SQL]))[0]?.files[0]?.entries;
    expect(await state()).toEqual({ 'databricks-sql': 'broken' });
    await wrap('env', 'A=b');
    expect(await state()).toEqual({ 'databricks-sql': 'broken' });
  });

  test('is shown, for all servers too, and so is one that another program replaced', async () => {
    await using own = await ownClients();
    const { service, script } = await wrapped(own);
    await service.addAll(['cursor'], allServers([SQL]));
    await rm(script);
    const file = async () => (await service.surveyOf(['cursor'], [SQL]))[0]?.files[0];
    expect(await file()).toMatchObject({ entries: { causeway: 'broken' }, all: ['causeway'] });
    await own.file(CURSOR, '{"mcpServers":{"causeway":{"command":"/opt/other"}}}');
    expect(await file()).toMatchObject({ entries: { causeway: 'foreign' }, servedByAll: [] });
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'absent' });
  });
});
