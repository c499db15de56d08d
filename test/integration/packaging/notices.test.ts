import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import commandConfig from '../../../main/cli/vite.config.ts';
import { notices } from '../../../preload/contract/settings.ts';
import { bundledPackages } from '../../../resources/notices/bundled-packages.ts';
import type { PackageNotice } from '../../../resources/notices/package-notice.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SourceMap = z.object({ sources: z.array(z.string()) });

describe('the third-party notices', () => {
  let work: string;

  beforeAll(async () => {
    // Inside the project, so that packages of its own count as a package's files do.
    await mkdir(join(ROOT, 'out'), { recursive: true });
    work = await mkdtemp(join(ROOT, 'out', 'notices-test-'));
  });
  afterAll(() => rm(work, { recursive: true, force: true }));

  it('name each package in the source maps of the built command', async () => {
    await build({
      ...commandConfig,
      configFile: false,
      logLevel: 'silent',
      build: { ...commandConfig.build, outDir: work, sourcemap: true },
    });
    const maps = (await readdir(work)).filter((name) => name.endsWith('.map'));
    const sources = await Promise.all(
      maps.map(async (name) => SourceMap.parse(JSON.parse(await readFile(join(work, name), 'utf8'))).sources),
    );
    const packages = new Set(sources.flat().flatMap((source) => packageOf(source) ?? []));
    expect([...packages]).toEqual(expect.arrayContaining(['undici', 'zod', 'yaml']));
    const list = notices.parse(
      JSON.parse(await readFile(join(ROOT, 'out', 'notices', 'main-cli-causeway.json'), 'utf8')),
    );
    const named = new Set(list.map(({ name }) => name));
    expect([...packages].filter((name) => !named.has(name))).toEqual([]);
  });

  it('have a text with a copyright or a permission for each package', async () => {
    const list = notices.parse(
      JSON.parse(await readFile(join(ROOT, 'out', 'notices', 'main-cli-causeway.json'), 'utf8')),
    );
    expect(list.filter(({ text }) => !/copyright|permission is hereby/i.test(text)).map(({ name }) => name)).toEqual(
      [],
    );
  });

  describe('of a package', () => {
    const files = {
      'package.json': JSON.stringify({ name: 'left-pad-twice', version: '1.2.3', license: 'MIT' }),
      'index.js': 'export const pad = (text) => text.padStart(9);',
    };

    /** Bundles an application whose one dependency consists of these files, and reads the list that this leaves. */
    async function bundle(
      dependency: Record<string, string>,
      application = "import { pad } from 'left-pad-twice'; console.log(pad('a'));",
    ) {
      const folder = await mkdtemp(join(work, 'application-'));
      const write = async (path: string, text: string) => {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      };
      await write('package.json', '{ "name": "application", "version": "0.0.0", "license": "MIT", "type": "module" }');
      await write('LICENSE', 'The application’s own.');
      await write('main.js', application);
      for (const [path, text] of Object.entries(dependency))
        await write(join('node_modules', 'left-pad-twice', path), text);
      const lists: PackageNotice[][] = [];
      await build({
        root: folder,
        configFile: false,
        logLevel: 'silent',
        plugins: [bundledPackages(async (list) => void lists.push(list))],
        build: { outDir: join(folder, 'out'), rolldownOptions: { input: join(folder, 'main.js') } },
      });
      return lists.flat().filter(({ name }) => !['application', 'rolldown', 'vite'].includes(name));
    }

    it('contain its license and its notice file', async () => {
      const list = await bundle({ ...files, 'LICENSE.md': 'Copyright Ana', NOTICE: 'Contains parts by Ben.' });
      expect(list).toEqual([
        { name: 'left-pad-twice', version: '1.2.3', license: 'MIT', text: 'Copyright Ana\n\nContains parts by Ben.' },
      ]);
    });

    it('fail the build, and name it, if it has no license text', async () => {
      await expect(bundle(files)).rejects.toThrow('left-pad-twice 1.2.3 (MIT) would be part of the application');
      await expect(bundle({ ...files, LICENSE: ' \n' })).rejects.toThrow('left-pad-twice 1.2.3 (MIT)');
      await expect(bundle({ ...files, 'license.js': 'export {};' })).rejects.toThrow('left-pad-twice 1.2.3 (MIT)');
    });

    it('fail the build if its manifest names no license', async () => {
      const manifest = JSON.stringify({ name: 'left-pad-twice', version: '1.2.3' });
      await expect(bundle({ ...files, 'package.json': manifest, LICENSE: 'Free.' })).rejects.toThrow('license');
    });

    it('leave it out if none of it is in the output', async () => {
      expect(await bundle({ ...files, LICENSE: 'Free.' }, "import 'left-pad-twice'; console.log('a');")).toEqual([]);
    });

    it('use the package that contains a folder with only a module format', async () => {
      const nested = {
        'package.json': JSON.stringify({
          name: 'left-pad-twice',
          version: '1.2.3',
          license: 'MIT',
          main: 'esm/index.js',
        }),
        'esm/package.json': '{ "type": "module" }',
        'esm/index.js': files['index.js'],
        LICENCE: 'Free.',
      };
      expect(await bundle(nested)).toMatchObject([{ name: 'left-pad-twice', text: 'Free.' }]);
    });

    it('count a package of which only a style sheet or a font is used', async () => {
      const style = {
        'package.json': files['package.json'],
        'style.css': '.a { background: url(./dot.png); }',
        'dot.png': 'not a real picture',
        LICENSE: 'Free.',
      };
      expect(await bundle(style, "import 'left-pad-twice/style.css'; console.log('a');")).toMatchObject([
        { name: 'left-pad-twice' },
      ]);
    });
  });
});

/** The npm package that a source is from. */
function packageOf(source: string): string | undefined {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1];
}
