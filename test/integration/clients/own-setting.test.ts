import { describe, expect, test } from 'vitest';
import { CLIENTS } from '../../../main/clients/table.ts';
import { GENIE, ownClients, SQL } from './own-clients.ts';

/** A setting of the client itself that is written along with our entries: of Codex, how long it waits before its first turn. */

const FILE = '.codex/config.toml';
const LINE = 'mcp_optional_startup_grace_ms = 20000';

const ORIGINALS = {
  'nothing at all': '',
  'a setting': 'model = "gpt-5"\n',
  'a setting without a line end': 'model = "gpt-5"',
  'a comment and a setting': '# Mine\nmodel = "gpt-5" # good\n\n# About tables\n[tools]\nweb = true\n',
  'a table alone': '[mcp_servers.other]\ncommand = "other"\n',
  'a comment and a table': '# Mine\n\n[tools]\nweb = true\n',
  'other line ends': 'model = "gpt-5"\r\n\r\n[tools]\r\nweb = true\r\n',
  'a value of several lines': 'notify = [\n  "a",\n  "[b]",\n]\n[tools]\nweb = true\n',
};

describe('Codex waits for our servers before its first turn', () => {
  test.each(Object.entries(ORIGINALS))('in a file with %s, until the last entry goes', async (_what, original) => {
    await using own = await ownClients();
    await own.file(FILE, original);
    const [added] = await own.service().add(['codex'], [SQL, GENIE]);
    const text = await own.read(FILE);
    expect(text.split(/\r?\n/)).toContain(LINE);
    expect(text.indexOf(LINE)).toBeLessThan(text.search(/^\[/m));
    expect(added?.warnings.join(' ')).toContain(`The setting ${LINE} lets it wait`);
    const [again] = await own.service().add(['codex'], [SQL, GENIE]);
    expect([again?.result, again?.warnings]).toEqual(['unchanged', []]);
    await own.service().remove(['codex'], [SQL.name]);
    expect(await own.read(FILE)).toContain(LINE);
    await own.service().remove(['codex'], [GENIE.name]);
    expect(await own.read(FILE)).toBe(original);
  });

  test.each(['mcp_optional_startup_grace_ms = 500\n', '"mcp_optional_startup_grace_ms"=20000\nmodel = "gpt-5"\n'])(
    'unless the user has decided: %j',
    async (original) => {
      await using own = await ownClients();
      await own.file(FILE, original);
      const [added] = await own.service().add(['codex'], [SQL]);
      expect(await own.read(FILE)).toMatch(original.split('\n')[0] ?? '');
      expect(await own.read(FILE)).not.toMatch(/grace_ms[\s\S]*grace_ms/);
      expect(added?.warnings.join()).not.toContain('grace');
      await own.service().remove(['codex'], [SQL.name]);
      expect(await own.read(FILE)).toBe(original);
    },
  );

  test('and a user who removes or changes the setting afterwards is not overruled', async () => {
    await using own = await ownClients();
    await own.file(FILE, 'model = "gpt-5"\n');
    await own.service().add(['codex'], [SQL]);
    await own.file(FILE, (await own.read(FILE)).replace(`${LINE}\n`, ''));
    await own.service().add(['codex'], [GENIE]);
    expect(await own.read(FILE)).not.toContain('grace');
    await own.file(FILE, `mcp_optional_startup_grace_ms = 900\n${await own.read(FILE)}`);
    await own.service().remove(['codex'], [SQL.name, GENIE.name]);
    expect(await own.read(FILE)).toBe('mcp_optional_startup_grace_ms = 900\nmodel = "gpt-5"\n');
  });

  test('also in a project, where its own file is read for it', async () => {
    await using own = await ownClients();
    const project = { project: own.home };
    await own.service().add(['codex'], [SQL], project);
    expect((await own.read(FILE)).split('\n')[0]).toBe(LINE);
    await own.service().remove(['codex'], [SQL.name], project);
    await expect(own.read(FILE)).rejects.toThrow('ENOENT');
  });

  test('and every row with such a setting has a format that takes it', () => {
    for (const { setting, format } of CLIENTS) if (setting) expect(format).toBe('toml');
  });
});
