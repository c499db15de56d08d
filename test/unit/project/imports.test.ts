import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The parts, and which others the files of each may import. A part is a folder or a file, or what begins so. */
const MAY_IMPORT: Record<string, string[]> = {
  'main/platform/': [],
  'main/words/': ['main/platform/'],
  'main/permissions/': ['main/platform/', 'preload/contract'],
  'main/auth/': ['main/platform/', 'main/permissions/'],
  'main/workspace/': ['main/platform/', 'main/auth/', 'preload/contract'],
  'main/warehouses/': ['main/platform/', 'main/auth/', 'main/workspace/', 'preload/contract'],
  'main/bridge/': ['main/platform/', 'main/auth/', 'main/workspace/', 'main/permissions/'],
  'main/hub/': [
    'main/platform/',
    'main/auth/',
    'main/workspace/',
    'main/permissions/',
    'main/bridge/',
    'preload/contract',
  ],
  'main/audit/': ['main/platform/', 'main/permissions/', 'main/bridge/', 'main/hub/', 'main/activity/'],
  'main/activity/': ['main/platform/', 'main/permissions/', 'main/hub/', 'main/clients/', 'preload/contract'],
  'main/aggregate/': ['main/platform/', 'main/bridge/'],
  'main/clients/': ['main/platform/', 'main/permissions/', 'preload/contract'],
  'main/app/': ['main/(?!cli/|desktop/|index)', 'preload/contract'],
  'main/cli/': ['main/(?!desktop/|index)', 'preload/contract'],
  'main/desktop/': ['main/(?!cli/|index)', 'preload/(?!index)'],
  'main/index.ts': ['main/(?!cli/)', 'preload/contract'],
  'preload/contract': [],
  'preload/': ['preload/contract'],
  'renderer/': ['preload/(?!index|api)'],
};

/** What every part may import besides. */
const BY_ALL = [
  'main/words/',
  'package\\.json$',
  'preload/contract/(words/|(server-path|server-path-schema|server-kinds|error-facts|refusals)\\.ts$)',
  '.*\\.(css|svg)$',
];

/** Who may import what is not of the project. */
const OUTSIDE: [what: RegExp, who: RegExp][] = [
  [/^electron$/, /^(main\/index\.ts|main\/desktop\/.*|preload\/index\.ts)$/],
  [/^node:/, /^(main|resources)\//],
];

interface Import {
  from: string;
  /** A path in the project, or the name of a package. */
  to: string;
  /** The types of a module may be named where the module itself is not loaded. */
  isType: boolean;
  /** Whether it is loaded later, by `import()`. */
  isLazy: boolean;
}

const files = globSync(['main/**/*.ts', 'preload/**/*.ts', 'renderer/**/*.{ts,tsx}'], {
  cwd: ROOT,
  exclude: ['**/vite.config.ts'],
});
const imports = files.flatMap((from) => importsIn(from, readFileSync(join(ROOT, from), 'utf8')));

function importsIn(from: string, text: string): Import[] {
  const found = text.matchAll(
    /^(?:import|export) (type )?[^;'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return Array.from(found, ([, type, named, bare, lazy]) => {
    const specifier = named ?? bare ?? lazy ?? '';
    return {
      from,
      to: specifier.startsWith('.') ? join(from, '..', specifier) : specifier,
      isType: type !== undefined,
      isLazy: lazy !== undefined,
    };
  });
}

/** The longest name of a part with which a path begins. */
function partOf(path: string): string | undefined {
  const parts = Object.keys(MAY_IMPORT).filter((part) => path.startsWith(part));
  return parts.toSorted((a, b) => b.length - a.length)[0];
}

function isAllowed({ from, to }: Import): boolean {
  const part = partOf(from);
  if (part === undefined) return false;
  return [part, ...BY_ALL, ...(MAY_IMPORT[part] ?? [])].some((allowed) => new RegExp(`^${allowed}`).test(to));
}

/** The files in circles of some imports, and those on the way from one circle to another. */
function filesInCircles(some: Import[]): string[] {
  let left = new Set(files);
  for (;;) {
    const among = some.filter(({ from, to }) => left.has(from) && left.has(to));
    const importing = new Set(among.map(({ from }) => from));
    const kept = new Set(among.map(({ to }) => to).filter((file) => importing.has(file)));
    if (kept.size === left.size) return [...kept];
    left = kept;
  }
}

const told = ({ from, to }: Import) => `${from} imports ${to}`;

describe('the imports of the product', () => {
  it('are found in every part', () => {
    expect(new Set(imports.map(({ from }) => partOf(from)))).toEqual(new Set(Object.keys(MAY_IMPORT)));
  });

  it('go only downward: platform, permissions, auth, workspace, (warehouses | bridge), (hub | aggregate), app, (desktop | cli)', () => {
    const inside = imports.filter(
      ({ to }) => to === 'package.json' || /^(main|preload|renderer|test|resources)\//.test(to),
    );
    expect(inside.filter((one) => !isAllowed(one)).map(told)).toEqual([]);
  });

  it.each(OUTSIDE)('of %s are refused in the wrong places', (what, who) => {
    const wrong = imports.filter(({ from, to, isType }) => !isType && what.test(to) && !who.test(from));
    expect(wrong.map(told)).toEqual([]);
  });

  it('between parts are those that docs/architecture.md lists', () => {
    const between = new Map(Object.keys(MAY_IMPORT).map((part) => [part, new Set<string>()]));
    for (const { from, to } of imports) {
      const [part, other] = [partOf(from), partOf(to)];
      if (part !== undefined && other !== undefined && part !== other) between.get(part)?.add(other);
    }
    const named = (part: string) => `\`${part}\``;
    const rows = Array.from(
      between,
      ([part, others]) => `| ${named(part)} | ${[...others].sort().map(named).join(', ') || '`nothing`'} |`,
    );
    const text = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    const listed = text.split('\n').filter((line) => /^\| `(main|preload|renderer)[^`]*` \| (`|\|)/.test(line));
    expect(listed).toEqual(rows);
  });

  it('are not circular', () => {
    expect(filesInCircles(imports.filter(({ isType }) => !isType))).toEqual([]);
  });

  it('are not circular even where only types are imported', () => {
    expect(filesInCircles(imports.filter(({ isLazy }) => !isLazy))).toEqual([]);
  });
});
