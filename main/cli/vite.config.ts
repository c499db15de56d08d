import { brotliCompressSync, constants } from 'node:zlib';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import manifest from '../../package.json' with { type: 'json' };
import { bundledPackages } from '../../resources/notices/bundled-packages.ts';
import { KEPT_CHUNKS } from './kept-chunks.ts';

/** The package's own type is `module`: a folder of CommonJS says that it differs. */
export const commonJsFolder: Plugin = {
  name: 'commonjs-folder',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' });
  },
};

/** Of the manifest, the version alone goes into the command. */
const versionOnly: Plugin = {
  name: 'version-only',
  enforce: 'pre',
  load(id) {
    if (!id.endsWith('/package.json') || id.includes('node_modules')) return null;
    return { code: `export default ${JSON.stringify({ version: manifest.version })}`, moduleType: 'js' };
  },
};

/** A module that is meant to load only when it is needed, and does not, would slow every start: the build fails. */
const lazyImportsOnly: Plugin = {
  name: 'lazy-imports-only',
  onLog(_level, { code, message }) {
    if (code === 'INEFFECTIVE_DYNAMIC_IMPORT') this.error(message);
  },
};

/** Writes all that a proxy may load into one file, compressed: `kept-chunks.ts` reads it. */
const keptChunks: Plugin = {
  name: 'kept-chunks',
  generateBundle(_options, bundle) {
    const chunks = reachableFrom('proxy', bundle).map(({ fileName, code }) => ({
      fileName,
      compressed: brotliCompressSync(code, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    }));
    const list = chunks.map(({ fileName, compressed }) => `${fileName} ${compressed.length}`).join(' ');
    const source = Buffer.concat([Buffer.from(`${list}\n`), ...chunks.map(({ compressed }) => compressed)]);
    this.emitFile({ type: 'asset', fileName: KEPT_CHUNKS, source });
  },
};

/** Telemetry is large, and loaded as a session begins, where it is asked for at all: it need not be kept for later. */
function isOptional(output: Rolldown.OutputChunk | Rolldown.OutputAsset): boolean {
  return output.type === 'chunk' && output.facadeModuleId?.endsWith('/main/audit/otlp.ts') === true;
}

/** The chunk of this name and all that it may load, now or later. */
function reachableFrom(name: string, bundle: Rolldown.OutputBundle): Rolldown.OutputChunk[] {
  const reached = new Set(Object.values(bundle).filter((output) => output.type === 'chunk' && output.name === name));
  for (const output of reached) {
    if (output.type !== 'chunk') continue;
    for (const file of [...output.imports, ...output.dynamicImports]) {
      const imported = bundle[file];
      if (imported && !isOptional(imported)) reached.add(imported);
    }
  }
  return [...reached].filter((output) => output.type === 'chunk');
}

/**
 * The `causeway` command: one small entry, the rest in chunks that load only when a command needs them. CommonJS, because
 * Node is some 4 ms sooner at its first line than with ES modules.
 */
export default defineConfig({
  plugins: [commonJsFolder, versionOnly, lazyImportsOnly, keptChunks, bundledPackages()],
  ssr: { noExternal: true, external: ['keytar'], target: 'node' },
  build: {
    ssr: 'main/cli/causeway.ts',
    outDir: 'out/cli',
    emptyOutDir: true,
    target: 'node20.18',
    minify: true,
    sourcemap: false,
    rolldownOptions: {
      output: {
        format: 'cjs',
        dynamicImportInCjs: false,
        entryFileNames: 'causeway.js',
        chunkFileNames: '[name]-[hash].js',
        // What AI clients spawn reads few files: three to go through the application, and three more to work alone.
        codeSplitting: {
          groups: [
            {
              name: 'common',
              test: /\/(main\/(platform\/(bounded-file|errors|file-errors|held-file|paths|version|wire-name)|words\/.*|cli\/proxy-arguments)|preload\/contract\/server-path)\.ts$/,
              priority: 6,
            },
            { name: 'facts', test: /\/preload\/contract\/(error-facts|server-kinds)\.ts$/, priority: 6 },
            { name: 'profiles', test: /\/main\/auth\/profiles\/(profiles|config-file)\.ts$/, priority: 6 },
            { name: 'proxy', test: /\/main\/cli\/proxy\.ts$/, priority: 5 },
            { name: 'relay', test: /\/main\/cli\/(proxy-session|engine)\.ts$/, priority: 4 },
            { name: 'remembered', test: /\/main\/cli\/remembered\.ts$/, priority: 3 },
            {
              name: 'alone',
              test: /\/main\/(cli\/alone|auth\/sources\/token-source)\.ts$/,
              priority: 2,
            },
            { name: 'pool', test: /\/undici\/lib\/dispatcher\/pool\.js$/, priority: 1 },
          ],
        },
      },
    },
  },
});
