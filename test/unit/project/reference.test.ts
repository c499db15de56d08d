import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { documentedVariables } from '../../../resources/reference/environment.ts';
import { referenceFiles } from '../../../resources/reference/files.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDER = 'docs/reference';

describe('docs/reference', () => {
  test.each([...referenceFiles()])('%s is what the code says: `npm run reference`', (path, text) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
  });

  test('has no other files', () => {
    const there = readdirSync(join(ROOT, FOLDER), { recursive: true, withFileTypes: true });
    const files = there
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name).slice(ROOT.length));
    expect(files.toSorted()).toEqual([...referenceFiles().keys()].toSorted());
  });

  test('names every variable of Causeway and Databricks that the code reads, and no other', () => {
    const read = new Set(sources(join(ROOT, 'main')).flatMap((file) => variablesIn(readFileSync(file, 'utf8'))));
    // Set for a program that Causeway starts.
    read.delete('CAUSEWAY_PROGRAM');
    const documented = documentedVariables();
    expect([...read].filter((name) => !documented.includes(name))).toEqual([]);
    const ofOurs = documented.filter((name) => /^(CAUSEWAY|DATABRICKS)_/.test(name));
    expect(ofOurs.filter((name) => !read.has(name))).toEqual([]);
  });
});

function sources(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  return all.filter((each) => each.name.endsWith('.ts')).map((each) => join(each.parentPath, each.name));
}

/** Names in quotes, members of an environment, and members that are taken out of one under another name. */
function variablesIn(text: string): string[] {
  const found = text.matchAll(/'([A-Z_]+)'|\benv\.([A-Z_]+)\b|\b([A-Z_]+): \w+ = ''/g);
  const names = Array.from(found, ([, ...groups]) => groups.find((name) => name !== undefined) ?? '');
  return names.filter((name) => /^(CAUSEWAY|DATABRICKS|ARM|ACTIONS)_/.test(name));
}
