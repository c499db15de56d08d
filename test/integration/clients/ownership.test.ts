import { describe, expect, test } from 'vitest';
import { listBackups } from '../../../main/clients/backups.ts';
import { inOneLine } from '../../../main/words/failure.ts';
import { CURSOR, fileOf, GENIE, HTTP, ownClients, SQL } from './own-clients.ts';

describe('an entry that the user wrote', () => {
  const THEIRS = `{
  "mcpServers": {
    "databricks-sql": {
      "url": "https://acme.cloud.databricks.com/api/2.0/mcp/sql",
      "headers": { "Authorization": "Bearer dapi-theirs" }
    },
    "our-genie": { "url": "https://acme.cloud.databricks.com/api/2.0/mcp/genie/01ef", "headers": {} },
    "vendor": { "url": "https://mcp.vendor.example/api/2.0/mcp/things" },
    "remote": { "command": "ssh", "args": ["host", "causeway", "proxy"] },
    "boxed": { "command": "docker", "args": ["run", "causeway", "proxy"] }
  }
}
`;

  test('is not ours, whatever server it leads to', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, THEIRS);
    const file = await fileOf(own, 'cursor');
    expect(file).toMatchObject({ state: 'foreign', leftOver: [], repairable: [], known: false });
    expect(await own.service().ownNames([])).toEqual([]);
  });

  test('survives every command', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, THEIRS);
    const names = ['databricks-sql', 'our-genie', 'vendor', 'remote', 'boxed'];
    await own.service().remove([], names);
    await own.service().remove(['cursor'], names);
    await own.service().repair([], [SQL]);
    for (const choice of [{}, { http: HTTP }, { dryRun: true }]) {
      const [refused, ...others] = await own.service().add(['cursor'], [SQL], choice);
      expect(others).toEqual([]);
      expect(refused).toMatchObject({ result: 'failed', error: { code: 'already_exists' } });
      expect(inOneLine(refused?.error)).toMatch(/an entry "databricks-sql" that Causeway did not write.*Rename it/);
    }
    expect(await own.read(CURSOR)).toBe(THEIRS);
  });

  test('keeps its name, and the other servers are added beside it', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, THEIRS);
    const outcomes = await own.service().add([], [SQL, GENIE]);
    expect(outcomes).toMatchObject([{ result: 'written' }, { result: 'failed', error: { code: 'already_exists' } }]);
    expect(inOneLine(outcomes[1]?.error)).toContain('It was not changed.');
    const { mcpServers } = JSON.parse(await own.read(CURSOR));
    expect(mcpServers['databricks-sql']).toEqual(JSON.parse(THEIRS).mcpServers['databricks-sql']);
    expect(mcpServers['genie-7191'].args).toContain('proxy');
    await own.service().remove([], ['databricks-sql', 'genie-7191']);
    expect(await own.read(CURSOR)).toBe(THEIRS);
  });

  test('is replaced completely if the user agrees, and a backup keeps it', async () => {
    await using own = await ownClients();
    await own.file(CURSOR, THEIRS);
    await own.service().add([], [GENIE]);
    const before = await own.read(CURSOR);
    await own.service().add([], [SQL], { replace: true });
    const entry = JSON.parse(await own.read(CURSOR)).mcpServers['databricks-sql'];
    expect(Object.keys(entry)).toEqual(['command', 'args']);
    const [backup] = await listBackups(own.env);
    await own.service().restore(backup?.id ?? '');
    expect(await own.read(CURSOR)).toBe(before);
  });

  test.each([
    ['a program', '{"command":"python","args":["server.py"]}', undefined],
    [
      'an address',
      '{"url":"https://acme.cloud.databricks.com/api/2.0/mcp/sql","headers":{"Authorization":"x"}}',
      undefined,
    ],
    ['an address in place of ours', '{"url":"https://other.example.com/api/2.0/mcp/sql","headers":{}}', HTTP],
    [
      'our address, with a header for the sign-in',
      '{"url":"https://w.example.com/api/2.0/mcp/sql","headers":{"Authorization":"x"}}',
      HTTP,
    ],
  ])('in place of ours belongs to the user: %s', async (_what, theirs, http) => {
    await using own = await ownClients();
    await own.file(CURSOR, '{}');
    await own.service().add([], [SQL], { http });
    const text = `{"mcpServers":{"databricks-sql":${theirs}}}`;
    await own.file(CURSOR, text);
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'foreign', repairable: [] });
    await own.service().repair([], [SQL]);
    await own.service().remove([], await own.service().ownNames([]));
    expect(await own.read(CURSOR)).toBe(text);
    // What is forgotten is not missed later.
    await own.file(CURSOR, '{}');
    expect(await fileOf(own, 'cursor')).toMatchObject({ state: 'absent' });
  });

  test('does not count as ours because we wrote an equal one to another file', async () => {
    await using own = await ownClients();
    await own.file('.claude.json', '{}');
    await own.service().add(['claude-code'], [SQL], { http: HTTP });
    const text = await own.read('.claude.json');
    await own.file(CURSOR, text);
    expect((await own.service().survey([SQL])).find(({ id }) => id === 'cursor')?.files[0]).toMatchObject({
      entries: { 'databricks-sql': 'foreign' },
    });
  });
});
