/**
 * `npm run dev`: the application on an embedded workspace, signed in, in its own home folder. A change in `renderer/`
 * appears in the open window, one in `preload/` reloads it, one in `main/` starts the application again. Arguments go to
 * Electron: `npm run dev -- --inspect=9229 --remote-debugging-port=9222`. Until the application is quit, or Ctrl-C.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { resolveConfig } from 'electron-vite';
import { build, createServer, type InlineConfig, mergeConfig } from 'vite';
import { commonJsFolder } from '../../main/cli/vite.config.ts';
import { electronFlags, findElectron, NO_ELECTRON } from '../../main/desktop/electron-binary.ts';
import { inOneLine } from '../../main/words/failure.ts';
import { openAccount } from '../demo/account.ts';
import { openStage } from '../demo/stage.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const ENTRY = join(ROOT, 'out', 'dev', 'application.js');

const account = openAccount({ json: false, stream: process.stdout });

async function develop(electron: string): Promise<void> {
  const ends: (() => Promise<unknown>)[] = [];
  const interrupted = new AbortController();
  process.on('SIGINT', () => interrupted.abort());
  process.on('SIGTERM', () => interrupted.abort());
  try {
    const stage = await openStage(account);
    ends.push(() => stage.close());

    account.begin('Building the application');
    // These two are what `npm run build` makes, in its place.
    const { main, preload } = (await resolveConfig(options(), 'build', 'production')).config ?? {};
    const { renderer } = (await resolveConfig(options(), 'serve', 'development')).config ?? {};
    if (!main || !preload || !renderer) throw new Error('electron.vite.config.ts does not name all three parts.');
    const port = await freePort();
    const server = await createServer(
      mergeConfig(renderer, {
        // From the window's folder, which the server takes for its root.
        build: { rolldownOptions: { input: join(ROOT, 'renderer', 'index.html') } },
        // The page's address is app://causeway, which says nothing of where the server is.
        server: {
          host: '127.0.0.1',
          port,
          strictPort: true,
          hmr: { protocol: 'ws', host: '127.0.0.1', clientPort: port },
        },
      }),
    );
    ends.push(() => server.close());
    await server.listen();
    await build(entryConfig());
    const reload = () => server.ws.send({ type: 'full-reload' });
    ends.push(await watch(preload, reload));
    const application = new Application(electron, [ENTRY, `--user-data-dir=${join(stage.home, 'electron')}`], {
      ...stage.env,
      CAUSEWAY_DEV_SERVER: `http://127.0.0.1:${port}`,
    });
    ends.push(await watch(main, () => application.restart()));
    account.done('The application is built, and its window is served by Vite');

    application.start();
    ends.push(() => application.stop());
    account.note('Causeway is open. Quit it in the tray, or press Ctrl-C here.');
    if (!interrupted.signal.aborted) await Promise.race([application.quit, once(interrupted.signal, 'abort')]);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** For electron-vite, which takes its options apart. */
function options(): Parameters<typeof resolveConfig>[0] {
  return { root: ROOT, logLevel: 'error' };
}

/** What Electron is started with: the built application behind a window that Vite serves. */
function entryConfig(): InlineConfig {
  return {
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true, external: ['electron'], target: 'node' },
    build: {
      ssr: 'test/dev/application.ts',
      outDir: 'out/dev',
      emptyOutDir: true,
      target: 'node20.18',
      rolldownOptions: { output: { format: 'cjs', entryFileNames: 'application.js' } },
    },
    plugins: [commonJsFolder],
  };
}

/** Builds, and builds again after each change; resolves after the first time, with the function that ends it. */
async function watch(config: InlineConfig, onRebuilt: () => void): Promise<() => Promise<void>> {
  const watcher = await build(mergeConfig(config, { build: { watch: {} } }));
  if (!('on' in watcher)) throw new Error('Vite does not watch.');
  let isFirst = true;
  await new Promise<void>((resolve, reject) => {
    watcher.on('event', (event) => {
      if (event.code === 'ERROR') {
        // Later than at the start, the next change may fix it.
        if (isFirst) reject(event.error);
        else account.note(inOneLine(event.error));
      }
      if (event.code !== 'END') return;
      if (isFirst) resolve();
      else onRebuilt();
      isFirst = false;
    });
  });
  return () => watcher.close();
}

/** The application's process, which is another one after each restart. */
class Application {
  readonly #command: [string, string[], NodeJS.ProcessEnv];
  /** Resolves when the user has quit the application. */
  readonly quit: Promise<void>;
  #onQuit: (result: Promise<void> | undefined) => void = () => {};
  #running: ChildProcess | undefined;
  #restarting: Promise<void> | undefined;

  constructor(electron: string, args: string[], env: NodeJS.ProcessEnv) {
    this.#command = [electron, [...electronFlags(), ...process.argv.slice(2), ...args], env];
    this.quit = new Promise((resolve) => {
      this.#onQuit = resolve;
    });
  }

  start(): void {
    const [electron, args, env] = this.#command;
    const running = spawn(electron, args, { env, stdio: 'inherit' });
    this.#running = running;
    running.once('error', (error) => this.#onQuit(Promise.reject(error)));
    running.once('exit', () => {
      if (this.#running === running) this.#onQuit(undefined);
    });
  }

  restart(): void {
    if (!this.#running) return;
    account.note('main/ was rebuilt: the application starts again.');
    this.#restarting ??= this.stop().then(() => {
      this.#restarting = undefined;
      this.start();
    });
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill();
    await ended;
  }
}

/** A port of the loopback interface that nobody listens on. */
async function freePort(): Promise<number> {
  const probe = createTcpServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}

const executable = findElectron(process.env);
if (executable === undefined) {
  console.error(`${NO_ELECTRON} Without one, npm run demo -- --browser shows the same window.`);
  process.exitCode = 1;
} else {
  await develop(executable).catch((error: unknown) => {
    account.failed(inOneLine(error));
    process.exitCode = 1;
  });
}
