import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NAMES_ON_NPM } from '../../../main/platform/npm-package.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Everything that installs or runs a package of npm's registry by its name; the name is the group. */
const BY_NAME = [
  /\b(?:npx|pnpx|bunx|npm exec|npm x|pnpm dlx|yarn dlx|bun x)((?:\s+-{1,2}[\w-]+(?:=\S+)?)*)\s+(?:--\s+)?["'`]?(?<name>@?[\w./-]+)/g,
  /\b(?:npm|pnpm|yarn|bun) (?:i|install|add|create|init|update|view)((?:\s+-{1,2}[\w-]+(?:=\S+)?)*)\s+["'`]?(?<name>@?[\w./-]+)/g,
  /\bnpm:(?<name>@?[\w./-]+)/g,
  /npmjs\.(?:com|org)\/(?:package\/)?(?<name>@?[\w./-]+)/g,
  /"(?:npx|bunx|pnpx)",\s*"args":\s*\[(?:\s*"-{1,2}[\w-]+",)*\s*"(?<name>[^"]+)"/g,
  /registryType["']?:\s*["']npm["'],?\s*(?:\/\/.*\s*)?(?:[\w"']+:[^,]*,\s*)*?["']?identifier["']?:\s*["'](?<name>[^"']+)/g,
];

/** What of a text would fetch Causeway from npm's registry under a name that is not the project's. */
function strangersIn(text: string): string[] {
  return BY_NAME.flatMap((pattern) => [...text.matchAll(pattern)])
    .filter(({ groups }) => isOurs(groups?.name ?? ''))
    .map(([found]) => found);
}

/** Whether a name is meant for Causeway; a path or an address is none. */
function isOurs(name: string): boolean {
  return /causeway/i.test(name) && !/^\.{0,2}\/|\.tgz$|^(file|https?):/.test(name) && !NAMES_ON_NPM.includes(name);
}

const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  .toString()
  .split('\0')
  .filter((name) => /\.(ts|tsx|cjs|js|md|json|yml|yaml|sh|html|xml|1|desktop|toml|ps1|rb)$/.test(name))
  .filter((name) => name !== 'test/unit/project/npm-names.test.ts');

describe('npm', () => {
  it('is asked for Causeway by name in no text of the project', () => {
    const found = tracked.flatMap((name) => {
      const text = readOrNothing(name);
      return strangersIn(text).map((each) => `${name}: ${each}`);
    });
    expect(tracked.length).toBeGreaterThan(1000);
    expect(found).toEqual([]);
  });

  it('has no name that the constant does not list', () => {
    expect(NAMES_ON_NPM).toEqual([]);
  });

  it.each([
    'npx causeway proxy',
    'npx -y causeway@latest proxy',
    'npx --yes --package=x causeway',
    'npm install --global causeway',
    'npm i -g "causeway"',
    'npm exec -- causeway',
    'pnpm dlx causeway',
    'bunx causeway',
    'yarn add causeway',
    'https://www.npmjs.com/package/causeway',
    '"keytar": "npm:causeway@1"',
    '{ "command": "npx", "args": ["-y", "causeway", "proxy"] }',
    '{ "command": "npx",\n  "args": ["@someone/causeway"] }',
    "registryType: 'npm',\n registryBaseUrl: 'https://registry.npmjs.org',\n identifier: 'causeway'",
    '"registryType": "npm", "identifier": "causeway"',
  ])('would be noticed in: %s', (text) => {
    expect(strangersIn(text)).not.toEqual([]);
  });

  it.each([
    'npm install --global ./causeway-0.1.0.tgz',
    'npm install --global https://example.com/causeway-0.1.0.tgz',
    'npx vitest run',
    'causeway proxy',
    'npm run package:npm',
  ])('is not meant in: %s', (text) => {
    expect(strangersIn(text)).toEqual([]);
  });
});

function readOrNothing(name: string): string {
  try {
    return readFileSync(join(ROOT, name), 'utf8');
  } catch {
    // Deleted, and not yet committed.
    return '';
  }
}
