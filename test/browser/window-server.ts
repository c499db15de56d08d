import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { type Causeway, createCauseway } from '../../main/app/causeway.ts';
import type { ActivityLog } from '../../main/desktop/activity/activity.ts';
import type { Shell } from '../../main/desktop/context.ts';
import { createDesktop } from '../../main/desktop/desktop.ts';
import type { DesktopModel } from '../../main/desktop/model.ts';
import { RENDERER_FOLDER } from '../../main/desktop/places.ts';
import { answer } from '../../main/desktop/requests.ts';
import { appFileOf, contentSecurityPolicy, NONCE_PLACEHOLDER } from '../../main/desktop/window/app-files.ts';
import { APP_ORIGIN } from '../../main/desktop/window/navigation.ts';
import { channelOf } from '../../preload/api.ts';
import { events, type RequestName, requests } from '../../preload/contract.ts';
import { type Asked, plainSettings, plainShell } from '../plain-desktop.ts';

export interface WindowServer {
  url: string;
  /** The sign-in pages that the system's browser would have been shown. */
  opened: string[];
  /** What the clipboard was given, in order. */
  copied: string[];
  /** What the next file dialogs are answered with, in order; one that has no answer here is cancelled. */
  fileAnswers: string[];
  /** All that the desktop around the services was asked. */
  asked: Asked;
  /** What tray and window are drawn from, for what happens outside the window. */
  model: DesktopModel;
  /** What passes between clients and servers, for more of it than a test could have pass. */
  activity: ActivityLog;
  close(): Promise<void>;
}

/** Bundled once, however many windows are served. */
let transport: Promise<string> | undefined;

/**
 * Serves the built window to any browser on this computer, on the real services, with the policy that it has in the
 * application. Only the way that messages travel differs: HTTP where the application has IPC.
 */
export async function serveWindow(
  env: NodeJS.ProcessEnv,
  { isFirstRun = false, ...instead }: Partial<Pick<Shell, 'openInBrowser'>> & { isFirstRun?: boolean } = {},
): Promise<WindowServer> {
  const shell = { ...plainShell(), ...instead };
  const settings = plainSettings(env);
  if (!isFirstRun) settings.remember({ firstRun: null });
  const causeway: Causeway = createCauseway({ env, openBrowser: shell.openInBrowser, takesOnlyProfile: true });
  const hearers = new Set<ServerResponse>();
  const desktop = createDesktop({
    causeway,
    env,
    settings,
    shell,
    onEvent: (name, payload) => {
      const message = JSON.stringify({ channel: channelOf(name), payload: events[name].parse(payload) });
      for (const hearer of hearers) hearer.write(`data: ${message}\n\n`);
    },
  });
  const { model, activity, handlers } = desktop;
  transport ??= bundleTransport();
  const script = await transport;
  const names = new Map(Object.keys(requests).map((name) => [`/requests/${channelOf(name)}`, name as RequestName]));

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').replace(/\?.*/, '');
    const name = names.get(path);
    if (name) {
      const { input } = JSON.parse(await text(request));
      response.setHeader('content-type', 'application/json').end(JSON.stringify(await answer(handlers, name, input)));
    } else if (path === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      hearers.add(response);
      response.on('close', () => hearers.delete(response));
    } else if (path === '/transport.js') {
      response.setHeader('content-type', 'text/javascript').end(script);
    } else {
      await sendFile(path === '/' ? '/index.html' : path, response);
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await desktop.start(undefined);
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`,
    opened: shell.asked.opened,
    copied: shell.asked.copied,
    fileAnswers: shell.asked.fileAnswers,
    asked: shell.asked,
    model,
    activity,
    close: async () => {
      await desktop.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await causeway.close();
    },
  };
}

async function sendFile(path: string, response: ServerResponse): Promise<void> {
  const file = appFileOf(`${APP_ORIGIN}${path}`, RENDERER_FOLDER);
  const content = file && (await readFile(file.path).catch(() => undefined));
  if (!file || !content) return void response.writeHead(404).end();
  const nonce = randomBytes(16).toString('base64');
  response.setHeader('content-type', file.type).setHeader('content-security-policy', contentSecurityPolicy(nonce));
  if (!file.path.endsWith('.html')) return void response.end(content);
  const page = content.toString('utf8').replaceAll(NONCE_PLACEHOLDER, nonce);
  response.end(page.replace('<head>', '<head><script src="/transport.js"></script>'));
}

/** The preload script's own code with the transport of this folder, as one classic script. */
async function bundleTransport(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      lib: { entry: fileURLToPath(new URL('transport.ts', import.meta.url)), formats: ['iife'], name: 'transport' },
    },
  });
  const [output] = Array.isArray(built) ? built : [built];
  const chunk = output && 'output' in output ? output.output[0] : undefined;
  if (!chunk) throw new Error('The transport could not be bundled.');
  return chunk.code;
}
