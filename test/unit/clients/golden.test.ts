import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { UndoHint } from '../../../main/clients/editors/editor.ts';
import { jsonEditor } from '../../../main/clients/editors/json.ts';
import { editorOf, editTarget } from '../../../main/clients/editors.ts';
import { CLIENTS } from '../../../main/clients/table.ts';

/**
 * For each client, files as people have them and what they become: `CASE.original` and `CASE.added`. What is removed again
 * has to be the original. `UPDATE_GOLDEN=1` writes the second again, for review.
 */
const GOLDEN = fileURLToPath(new URL('golden', import.meta.url));
const CASES = ['empty', 'bare', 'typical', 'commented', 'hostile'];
const SERVERS = { 'databricks-sql': '/api/2.0/mcp/sql', 'genie-7191': '/api/2.0/mcp/genie/01ef2b7c' };

test('every client has every case', () => {
  expect(readdirSync(GOLDEN).sort()).toEqual(CLIENTS.map(({ id }) => id).sort());
});

describe.each(CLIENTS.map((client) => [client.id, client] as const))('%s', (id, client) => {
  const editor = editorOf(client.format);
  const target = editTarget(client, '/home/ana/file');
  const entries = Object.entries(SERVERS).map(([name, path]) => {
    const args = ['proxy', '--profile', 'prod', '--path', path];
    return [name, client.stdio({ name, command: '/opt/causeway/causeway', args })] as const;
  });

  function addAll(original: string): { text: string; undoHint: UndoHint | undefined } {
    let undoHint: UndoHint | undefined;
    const text = entries.reduce((before, [name, entry]) => {
      const edited = editor.put(before, target, name, entry);
      undoHint ??= edited.undoHint;
      return edited.text;
    }, original);
    return { text, undoHint };
  }

  test.each(CASES)('%s is added as it is written here, and removed without a trace', (name) => {
    const original = readFileSync(join(GOLDEN, id, `${name}.original`), 'utf8');
    const { text, undoHint } = addAll(original);
    const file = join(GOLDEN, id, `${name}.added`);
    if (process.env.UPDATE_GOLDEN) writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
    expect(addAll(text).text).toBe(text);
    for (const order of [entries, entries.toReversed()]) {
      const left = order.reduce((before, [server]) => editor.remove(before, target, server, undoHint), text);
      expect(left).toBe(original);
    }
  });
});

test.each(['{"mcp": null}\n', '{\n  "mcp": null\n}\n', '{"mcp": {"servers": null}}\n'])(
  'a null on the way to nested entries is put back in %j',
  (text) => {
    const target = { file: '/home/ana/settings.json', key: ['mcp', 'servers'] };
    const added = jsonEditor.put(text, target, 'sql', { fixed: { command: 'causeway' } });
    expect(jsonEditor.remove(added.text, target, 'sql', added.undoHint)).toBe(text);
  },
);
