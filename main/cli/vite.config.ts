import { defineConfig } from 'vite';

/** The `causeway` command: one small entry, the rest in chunks that load only when a command needs them. */
export default defineConfig({
  // What write-file-atomic asks of CommonJS; it goes into the names of its temporary files.
  define: { __filename: 'import.meta.filename' },
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
        entryFileNames: 'causeway.js',
        chunkFileNames: '[name]-[hash].js',
        // What AI clients spawn reads few files: one to go through the application, and two more to work alone.
        codeSplitting: {
          groups: [
            { name: 'proxy', test: /\/main\/cli\/(proxy|engine)\.ts$/, priority: 3 },
            { name: 'alone', test: /\/main\/(cli\/alone|auth\/(sources|personal-token))\.ts$/, priority: 2 },
            { name: 'pool', test: /\/undici\/lib\/dispatcher\/pool\.js$/, priority: 1 },
          ],
        },
      },
    },
  },
});
