import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { Plugin } from 'vite';
import { NONCE_PLACEHOLDER } from './main/desktop/window/app-files.ts';

/**
 * Electron takes schemes and the sandbox's switch only until it is ready, and a CommonJS main is always loaded by then,
 * whatever starts it. The package's own type is `module`, so the folder says that it differs.
 */
const commonJsFolder: Plugin = {
  name: 'commonjs-folder',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' });
  },
};

/** Everything is bundled except what must not be: Electron itself, and the keychain's native module. */
export default defineConfig({
  main: {
    plugins: [commonJsFolder],
    build: {
      target: 'node20.18',
      externalizeDeps: false,
      rolldownOptions: {
        input: 'main/index.ts',
        external: ['electron', 'keytar'],
        output: { format: 'cjs', entryFileNames: 'index.js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  preload: {
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
    plugins: [react()],
    html: { cspNonce: NONCE_PLACEHOLDER },
    build: {
      target: 'chrome130',
      outDir: 'out/renderer',
      minify: true,
      // The page's policy admits no data: addresses.
      assetsInlineLimit: 0,
      rolldownOptions: { input: 'renderer/index.html' },
    },
  },
});
