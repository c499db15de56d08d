import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CURSOR, fileOf, HTTP, ownClients, SQL } from './own-clients.ts';

describe('the state of an entry', () => {
  test('is distinguished from what was written: a new launcher is not a change by the user', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, '{}');
    const other = join(own.home, 'elsewhere', 'causeway');
    await mkdir(join(own.home, 'elsewhere'));
    await writeFile(other, '');
    await own.service({ command: other }).add([], [SQL]);
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'outdated', repairable: ['databricks-sql'] });
    await own.service().repair([], [SQL]);
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'current', repairable: [] });
  });

  test('offers no repair if a repair would write the same entry', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, '{}');
    const gone = own.service({ command: '/nowhere/causeway' });
    await gone.add([], [SQL]);
    const report = (await gone.survey([SQL])).find(({ id }) => id === 'cursor');
    expect(report?.files[0]).toMatchObject({ entries: { 'databricks-sql': 'broken' }, repairable: [] });
  });

  test('depends on whether PATH does not lead to its command or its program is gone', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, '{}');
    await own.service().add([], [SQL]);
    await own.file(CURSOR, (await own.read(CURSOR)).replace(own.command, 'causeway'));
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'not-on-path', repairable: ['databricks-sql'] });
    await own.service().repair([], [SQL]);
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'current', repairable: [] });
    await rm(own.command);
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'broken', repairable: [] });
  });

  test.each([
    ['cursor', CURSOR],
    ['opencode', '.config/opencode/opencode.json'],
  ])('is current in %s if another existing Node runs the same script', async (id, path) => {
    await using own = await ownClients();
    await own.file(path, '{}');
    const [one, other] = [await own.file('one/node', '', 0o755), await own.file('other/node', '', 0o755)];
    const script = await own.file('causeway.js', '');
    await own.service({ command: one, script }).add([], [SQL]);
    const states = async (options: { command: string; script: string }) => {
      const report = (await own.service(options).survey([SQL])).find((each) => each.id === id);
      return report?.files.map(({ entries, repairable }) => [entries[SQL.name], repairable]);
    };
    expect(await states({ command: other, script })).toEqual([['current', []]]);
    const elsewhere = await own.file('elsewhere/causeway.js', '');
    expect(await states({ command: other, script: elsewhere })).toEqual([['outdated', [SQL.name]]]);
    await rm(one);
    expect(await states({ command: other, script })).toEqual([['broken', [SQL.name]]]);
  });

  test('is out of date if the client now has a key for its timeout, but not if the user removed it', async () => {
    await using own = await ownClients();
    const path = '.config/opencode/opencode.json';
    await own.file(path, '{}');
    await own.service().add([], [SQL]);
    const record = join(own.env.CAUSEWAY_HOME ?? '', 'state', 'client-files.json');
    const without = (await own.read(path)).replace(/,\s*"timeout": 300000/, '');
    await own.file(path, without);
    expect(await fileOf(own, 'opencode')).toMatchObject({ state: 'current' });
    const files = JSON.parse(await readFile(record, 'utf8'));
    for (const file of Object.values<Record<string, unknown>>(files.files)) delete file.initial;
    await writeFile(record, JSON.stringify(files));
    expect(await fileOf(own, 'opencode')).toMatchObject({ state: 'outdated', repairable: ['databricks-sql'] });
    await own.service().repair([], [SQL]);
    expect(await own.read(path)).toContain('"timeout": 300000');
  });

  test('survives restoring a backup', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, '{}');
    const [added] = await own.service().add([], [SQL], { http: HTTP });
    const { kept } = await own.service().restore(added?.backup ?? '');
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'absent' });
    await own.service().restore(kept ?? '');
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'current' });
    await own.service().remove([], ['databricks-sql']);
    expect(await own.read(CURSOR)).toBe('{}');
  });
});
