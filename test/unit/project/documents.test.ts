import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import type { CommandContext } from '../../../main/cli/command.ts';
import { buildProgram } from '../../../main/cli/commands.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { BUILT, fencesOf, headingIds, inlineCodeOf, linksOf, markdownDocuments, ROOT } from './markdown.ts';

const documents = await markdownDocuments();
const scripts = new Map(Object.entries(manifest.scripts));

describe.each(documents)('$name', ({ name, folder, text }) => {
  it('links only to files and headings that exist', async () => {
    const broken: string[] = [];
    for (const target of linksOf(text).filter((each) => !/^[a-z]+:/.test(each))) {
      const [path = '', heading] = target.split('#');
      const file = path === '' ? join(ROOT, name) : join(folder, decodeURIComponent(path));
      const hasHeading = async () => headingIds(await readFile(file, 'utf8')).includes(heading ?? '');
      if (!existsSync(file) || (heading !== undefined && !(await hasHeading()))) broken.push(target);
    }
    expect(broken).toEqual([]);
  });

  it('names only commands that exist, with the options they have', () => {
    expect(commandsIn(text).flatMap(faultsOf)).toEqual([]);
  });
});

describe('the check of commands', () => {
  it.each([
    ['npm run nothing', 'there is no script nothing'],
    ['npm run demo -- --no-such-flag', 'npm run demo has no option --no-such-flag'],
    ['npx nothing', 'there is no program nothing'],
    ['npx vitest run --config test/nothing.ts', 'there is no file test/nothing.ts'],
    ['node test/nothing.ts', 'there is no file test/nothing.ts'],
    ['causeway nothing', 'there is no command causeway nothing'],
    ['causeway warehouse nothing', 'there is no command causeway warehouse nothing'],
    ['causeway status --nothing', 'causeway status has no option --nothing'],
    ['.ci/nothing', 'there is no file .ci/nothing'],
    ['yarn build', 'yarn is not checked'],
  ])('refuses `%s`: %s', (command, fault) => {
    expect(commandsIn(`\`\`\`sh\n${command} # a comment\n\`\`\`\n`).flatMap(faultsOf)).toEqual([fault]);
  });
});

describe('docs/promises.md', async () => {
  const lines = (documents.find(({ name }) => name === 'docs/promises.md')?.text ?? '')
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

describe('docs/policy.md', () => {
  const text = documents.find(({ name }) => name === 'docs/policy.md')?.text ?? '';
  const [, after = ''] = text.split('| shown by the test |\n');
  const [rows = ''] = after.split('\n\n');
  const sources = globSync('test/**/*.test.ts', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'));
  const everything = sources.join('\n').replaceAll("\\'", "'");

  it('quotes titles of tests that exist', () => {
    const lastCells = rows.split('\n').map((row) => row.split(' | ').at(-1) ?? '');
    const quoted = lastCells.flatMap(inlineCodeOf).filter((code) => code.includes(' '));
    expect(quoted.length).toBeGreaterThan(10);
    expect(quoted.filter((code) => !everything.includes(code.replace(/^…|…$/g, '')))).toEqual([]);
  });
});

describe('docs/decisions/', () => {
  const pages = documents.filter(({ name }) => name.startsWith('docs/decisions/0'));

  it('has pages of one form, each in its table under its own title', () => {
    const index = documents.find(({ name }) => name === 'docs/decisions/README.md')?.text.split('\n') ?? [];
    const rows = index.filter((line) => line.startsWith('| ['));
    const expected = pages.map(({ name, text }) => {
      const file = basename(name);
      return `| [${file.slice(0, 4)}](${file}) | ${/^# (.+)$/m.exec(text)?.[1]} |`;
    });
    expect(rows).toEqual(expected);
    const headings = pages.map(({ text }) => [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading));
    expect(headings).toEqual(pages.map(() => ['Context', 'Decision', 'Consequences']));
  });
});

describe('CHANGELOG.md', () => {
  const text = documents.find(({ name }) => name === 'CHANGELOG.md')?.text ?? '';

  it('starts with what is unreleased, and groups changes by the kinds of Keep a Changelog', () => {
    const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
    const releases = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
    expect(releases[0]).toBe('[Unreleased]');
    expect(releases.slice(1).filter((each) => !/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/.test(each))).toEqual([]);
    const used = [...text.matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading);
    expect(used.filter((each) => !kinds.includes(each))).toEqual([]);
  });
});

/** The commands that a document tells people to type, word by word: each line of a shell block, and inline code that begins like one. */
function commandsIn(text: string): string[][] {
  const blocks = fencesOf(text).filter(({ language }) => ['sh', 'bash', ''].includes(language));
  const typed = blocks.flatMap((block) => block.text.replaceAll('\\\n', ' ').split('\n'));
  const inline = inlineCodeOf(text).filter((code) =>
    /^(npm (ci|run|test|start)|npx|node|causeway)( |$)|^\.ci\//.test(code),
  );
  return [...typed, ...inline]
    .map((line) => line.replace(/(^|\s)#.*$/, '').replace(/^\s*\$ /, ''))
    .flatMap((line) => line.split(/&&|\|\||[;|]/))
    .map((command) => command.trim().split(/\s+/).filter(Boolean))
    .map((words) =>
      words.slice(
        Math.max(
          0,
          words.findIndex((word) => !/^[A-Z_]+=/.test(word)),
        ),
      ),
    )
    .filter((words) => words.length > 0 && /^[\w./-]+$/.test(words[0] ?? ''));
}

/** What is wrong with a command; nothing if it would run. */
function faultsOf([program = '', ...words]: string[]): string[] {
  if (program === 'npm') return npmFaults(words);
  if (program === 'npx') return npxFaults(words);
  if (program === 'node') return missingFiles(words.slice(0, 1));
  if (program === 'causeway') return causewayFaults(words);
  if (program === 'git' || program === 'cd') return [];
  return program.includes('/') ? missingFiles([program]) : [`${program} is not checked`];
}

function npmFaults([verb = '', ...words]: string[]): string[] {
  if (verb === 'install' && /^--global \.\/causeway-\S+\.tgz$/.test(words.join(' '))) return [];
  if (verb === 'ci' || verb === 'test' || verb === 'start') return [];
  if (verb !== 'run') return [`npm ${verb} is not checked`];
  const [script = '', ...rest] = words.filter((word) => word !== '--silent');
  const line = scripts.get(script);
  if (line === undefined) return [`there is no script ${script}`];
  // The program's own source names its options.
  const file = line.split(' ').findLast((word) => word.endsWith('.ts'));
  if (file === undefined || !line.includes(`node ${file}`)) return [];
  const source = globSync(`${dirname(file)}/*.ts`, { cwd: ROOT }).map((each) => readFileSync(join(ROOT, each), 'utf8'));
  const options = rest.flatMap((word) => /^--([a-z][a-z-]*)/.exec(word)?.[1] ?? []);
  return options
    .filter((option) => !source.some((each) => new RegExp(`(['"]|--)${option}\\b|\\b${option}:`).test(each)))
    .map((option) => `npm run ${script} has no option --${option}`);
}

function npxFaults([program = '', ...words]: string[]): string[] {
  if (program === '-y') return npxFaults(words);
  if (!existsSync(join(ROOT, 'node_modules', '.bin', program))) return [`there is no program ${program}`];
  return program === 'vitest' ? missingFiles(words.filter((word) => word.includes('/'))) : [];
}

function missingFiles(files: string[]): string[] {
  const source = files.filter((file) => !BUILT.includes(file.replace(/^\.\//, '').split('/')[0] ?? ''));
  return source.filter((file) => globSync(file, { cwd: ROOT }).length === 0).map((file) => `there is no file ${file}`);
}

/** Words in capitals, and what an ellipsis stands for, are the reader's to fill in. */
function causewayFaults(words: string[]): string[] {
  let command: Command = buildProgram(unusedContext());
  let path = 'causeway';
  for (const word of words.filter((each) => !each.startsWith('-'))) {
    if (command.commands.length === 0 || !/^[a-z][a-z-]*$/.test(word)) break;
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (next === undefined)
      return command.registeredArguments.length > 0 ? [] : [`there is no command ${path} ${word}`];
    command = next;
    path = `${path} ${word}`;
  }
  const known = ['--help', '-h'];
  for (let at: Command | null = command; at; at = at.parent) {
    known.push(...at.options.flatMap(({ long, short }) => [long ?? '', short ?? '']));
  }
  const options = words.flatMap((word) => /^--?[a-z][a-z-]*/.exec(word)?.[0] ?? []);
  return options.filter((option) => !known.includes(option)).map((option) => `${path} has no option ${option}`);
}

function unusedContext(): CommandContext {
  const { stdout, stderr, stdin, env } = process;
  const context: CommandContext = {
    stdout,
    stderr,
    stdin,
    env,
    quiet: false,
    signal: new AbortController().signal,
    causeway: () => createCauseway({ env }),
    inHome: () => context,
    setExitCode: () => {},
  };
  return context;
}
