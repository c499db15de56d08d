import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { Plugin } from 'vite';
import { commonJsFolder } from './main/cli/vite.config.ts';
import { NONCE_PLACEHOLDER } from './main/desktop/window/app-files.ts';
import { events, requests } from './preload/contract.ts';
import { bundledPackages } from './resources/notices/bundled-packages.ts';

/**
 * The preload script needs the contract's names and nothing else of it: main checks what crosses, and to build all the
 * schemas again would hold up each window that opens.
 */
const contractNames: Plugin = {
  name: 'contract-names',
  load(id) {
    if (!id.endsWith('/preload/contract.ts')) return undefined;
    const names = (table: object) => JSON.stringify(Object.fromEntries(Object.keys(table).map((name) => [name, null])));
    return `export const requests = ${names(requests)}; export const events = ${names(events)};`;
  },
};

/** Everything is bundled except what must not be: Electron itself, and the keychain's native module. */
export default defineConfig({
  main: {
    // Electron takes schemes and the sandbox's switch only until it is ready, and a CommonJS main is always loaded by
    // then, whatever starts it.
    plugins: [commonJsFolder, bundledPackages()],
    build: {
      target: 'node20.18',
      externalizeDeps: false,
      rolldownOptions: {
        input: {
          index: 'main/index.ts',
          'files-thread': 'main/clients/files-thread.ts',
          'activity-thread': 'main/activity/activity-thread.ts',
        },
        external: ['electron', 'keytar'],
        // What the command loads late, the application may load at once. The command's own build fails where that is in vain.
        checks: { ineffectiveDynamicImport: false },
        output: {
          format: 'cjs',
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          // V8 keeps the source of what it may still have to compile. Names stay, for the log's stacks.
          minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
        },
      },
    },
  },
  preload: {
    plugins: [contractNames, bundledPackages()],
    build: {
      target: 'node20.18',
      externalizeDeps: false,
      minify: true,
      rolldownOptions: {
        input: 'preload/index.ts',
        output: { format: 'cjs', entryFileNames: 'index.cjs' },
      },
    },
  },
  renderer: {
    root: 'renderer',
    plugins: [react(), bundledPackages()],
    html: { cspNonce: NONCE_PLACEHOLDER },
    build: {
      target: 'chrome130',
      outDir: 'out/renderer',
      minify: true,
      // The page's policy admits no data: addresses.
      assetsInlineLimit: 0,
      // It is read from the disk: there is no network to spare.
      chunkSizeWarningLimit: 1500,
      rolldownOptions: { input: 'renderer/index.html' },
    },
  },
});
