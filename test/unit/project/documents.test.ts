import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const names = (await readdir(join(ROOT, 'docs'))).map((name) => join('docs', name));
const documents = await Promise.all(
  ['README.md', 'SECURITY.md', ...names.filter((name) => name.endsWith('.md'))].map(async (name) => ({
    name,
    text: await readFile(join(ROOT, name), 'utf8'),
  })),
);

/** The ids that a page gives its headings. */
function headingIds(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(documents)('$name', ({ name, text }) => {
  it('links only to files and headings that exist', async () => {
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const broken: string[] = [];
    for (const target of targets.filter((each) => !/^[a-z]+:/.test(each))) {
      const [path = '', heading] = target.split('#');
      const file = path === '' ? join(ROOT, name) : join(ROOT, dirname(name), path);
      const exists = existsSync(file);
      const hasHeading =
        heading === undefined || (exists && headingIds(await readFile(file, 'utf8')).includes(heading));
      if (!exists || !hasHeading) broken.push(target);
    }
    expect(broken).toEqual([]);
  });

  it('names only commands of npm run that exist', () => {
    const scripts = [...text.matchAll(/npm run (?:--silent )?([a-z][\w:]*)/g)].map(([, script = '']) => script);
    expect(scripts.filter((script) => !Object.hasOwn(manifest.scripts, script))).toEqual([]);
  });
});

describe('docs/promises.md', async () => {
  const lines = (documents.find(({ name }) => name === join('docs', 'promises.md'))?.text ?? '')
    .split('\n')
    .filter((line) => line.startsWith('- '));
  const promises = lines.map((line) => /^- (.+\.) \| (test\/\S+\.test\.ts) › (.+)$/.exec(line)?.slice(1) ?? [line]);

  it('has lines of one form: the promise, the file of its test, the title of its test', () => {
    expect(promises.length).toBeGreaterThan(20);
    expect(promises.filter(({ length }) => length !== 3)).toEqual([]);
    expect(new Set(promises.map(([promise]) => promise)).size).toBe(promises.length);
  });

  it.each(promises)('%s', async (_promise, file = '', title = '') => {
    const source = await readFile(join(ROOT, file), 'utf8');
    const titles = [...source.matchAll(/(['"`])((?:\\.|(?!\1).)*)\1/g)].map(([, , text = '']) => text);
    expect(titles.map((text) => text.replaceAll(/\\(.)/g, '$1'))).toContain(title);
  });
});
