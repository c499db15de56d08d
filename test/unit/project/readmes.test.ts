import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENTS } from '../../../main/clients/table.ts';
import { BUILT, inlineCodeOf, markdownDocuments, ROOT } from './markdown.ts';

/** What begins such a table says that it lists the folder. */
const FILE_TABLE = /^\| *(?:file|file or folder|here) *\|.*\n\| *-.*\n(?:\|.*\n?)+/m;
/** Tests, and what a system or the compiler leaves behind. */
const NOT_NAMED = /^README\.md$|\.test\.ts$|^\.|\.tsbuildinfo$/;
const FILE_NAME = /\.(?:ts|tsx|js|cjs|css|json|jsonc|md|sh|yml|html|plist|svg|png)$/;

const documents = await markdownDocuments();
const readmes = documents.filter(({ name }) => name !== 'README.md' && name.endsWith('README.md'));
/** Those that have to name what is there: with such a table, or of a folder of the product. */
const complete = readmes.filter(
  ({ name, text }) => FILE_TABLE.test(text) || /^(main|preload|renderer|resources)\//.test(name),
);

/** The paths that a text names: of files by their ends, of folders by the slash behind them. */
function namedPaths(text: string): string[] {
  return inlineCodeOf(text).filter(
    (code) =>
      /^\.{0,2}[\w@*{},./-]+$/.test(code) &&
      (FILE_NAME.test(code) || code.endsWith('/')) &&
      !code.startsWith('/') &&
      !BUILT.includes(code.split('/')[0] ?? ''),
  );
}

/** Whether something in a folder has that name, which may be a pattern. */
function matches(folder: string, path: string): boolean {
  return globSync(path.replace(/\/$/, ''), { cwd: folder }).length > 0;
}

describe.each(documents)('$name', (document) => {
  it('names only files and folders that exist', () => {
    const { folder, text } = document;
    // Elsewhere than in a folder's README, a name alone may be that of a user's file.
    const paths = namedPaths(text).filter((path) => readmes.includes(document) || path.includes('/'));
    expect(paths.filter((path) => !matches(folder, path) && !matches(ROOT, path))).toEqual([]);
  });
});

describe.each(complete)('$name', ({ folder, text }) => {
  it('names everything in its folder except tests', () => {
    const named = namedPaths(FILE_TABLE.exec(text)?.[0] ?? text);
    const listed = new Set(named.flatMap((path) => globSync(path.replace(/\/$/, ''), { cwd: folder })));
    for (const path of listed) listed.add(path.split(/[\\/]/)[0] ?? path);
    const there = readdirSync(folder).filter((name) => !NOT_NAMED.test(name));
    expect(there.filter((name) => !listed.has(name))).toEqual([]);
  });
});

it('every folder of the application has its own README', () => {
  const parts = readdirSync(join(ROOT, 'main'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const folders = [...parts.map(({ name }) => `main/${name}`), 'preload', 'renderer', 'resources', 'docs'];
  const names = readmes.map(({ name }) => name);
  expect(folders.filter((folder) => !names.includes(`${folder}/README.md`))).toEqual([]);
});

it('every part of the application stands in the architecture', () => {
  const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const parts = readdirSync(join(ROOT, 'main')).filter((name) => !/\.json$|^README\.md$/.test(name));
  const named = new Set(inlineCodeOf(text));
  const isNamed = (part: string) => named.has(`main/${part}`) || named.has(`main/${part}/`);
  expect(parts.filter((part) => !isNamed(part))).toEqual([]);
});

describe('the AI clients', () => {
  const textOf = (name: string) => readFileSync(join(ROOT, name), 'utf8').replaceAll(/\s+/g, ' ');
  /** A client's name in running text, where a longer one does not count. */
  const names = (text: string, name: string) =>
    new RegExp(`(?<![\\w-])${name.replace(/^(GitHub|Factory|JetBrains) /, '(?:$1 )?')}(?! CLI)`).test(text);

  it('are counted in the README', () => {
    const counts = [...textOf('README.md').matchAll(/(\d+) (?:AI )?clients,/g)].map(([, count]) => Number(count));
    expect(counts).toEqual(expect.arrayContaining([CLIENTS.length]));
    expect(new Set(counts.filter((count) => count > 6)).size).toBe(1);
  });

  const [list = ''] = /`causeway clients list --all` lists.*?## /.exec(textOf('docs/clients.md')) ?? [];
  const [projects = ''] = /`causeway clients add CLIENT --project DIR`.*?## /.exec(textOf('docs/clients.md')) ?? [];

  it.each(CLIENTS.map(({ name }) => name))('%s is in the list of the documentation', (name) => {
    const alone = name.replace('VS Code Insiders', 'VS Code');
    expect(names(list, alone) ? name : list).toBe(name);
  });

  it('that read a file of a project are those of the documentation', () => {
    const able = CLIENTS.filter(({ project }) => project).map(({ name }) =>
      name.replace(/^(OpenAI|JetBrains) |^VS Code.*/, (all) => (all.startsWith('VS') ? 'VS Code' : '')),
    );
    expect(able.filter((name) => !names(projects, name))).toEqual([]);
  });

  it('that were not tried say so, and the documentation names them', () => {
    const untried = CLIENTS.filter(({ warnings = [] }) =>
      warnings.some((warning) => /not tried with it/.test(warning)),
    );
    const [said = ''] = /[^.]*are by their documentation[^.]*\./.exec(list) ?? [];
    expect(untried.filter(({ name }) => !names(said, name))).toEqual([]);
  });
});
