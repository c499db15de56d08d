import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { app, protocol, session } from 'electron';
import { contentSecurityPolicy, NONCE_PLACEHOLDER } from '../../main/desktop/window/app-files.ts';

/**
 * What `npm run dev` starts Electron with: the built application, whose window comes from Vite's server instead of
 * `out/renderer`. Only two things in Electron are replaced for that: what answers `app://`, and the rule that nothing else
 * may be loaded, which has to let Vite's WebSocket through. The application itself has no switch for this, so none can be
 * misused in a released one.
 */
const server = process.env.CAUSEWAY_DEV_SERVER ?? '';
const socket = server.replace('http:', 'ws:');
app.setName('Causeway');

const handle = protocol.handle.bind(protocol);
protocol.handle = (scheme) => handle(scheme, fromVite);

void app.whenReady().then(() => {
  const { webRequest } = session.defaultSession;
  const onBeforeRequest: (listener: Listener) => void = webRequest.onBeforeRequest.bind(webRequest);
  webRequest.onBeforeRequest = (listener: unknown) => {
    if (typeof listener !== 'function') return;
    onBeforeRequest((details, decide) => {
      if (details.url.startsWith(`${socket}/`)) decide({});
      else listener(details, decide);
    });
  };
});

type Listener = (
  details: Electron.OnBeforeRequestListenerDetails,
  decide: (response: Electron.CallbackResponse) => void,
) => void;

createRequire(import.meta.url)(join(import.meta.dirname, '..', 'main', 'index.js'));

/** A file of the window, under the application's own policy with what Vite needs besides. */
async function fromVite({ url, headers }: Request): Promise<Response> {
  const { pathname, search } = new URL(url);
  const answer = await fetch(server + pathname + search, { headers: { accept: headers.get('accept') ?? '*/*' } });
  const type = answer.headers.get('content-type') ?? 'text/plain';
  const nonce = randomBytes(16).toString('base64');
  const policy = contentSecurityPolicy(nonce)
    .replace("script-src 'self'", `script-src 'self' 'nonce-${nonce}'`)
    .replace("connect-src 'self'", `connect-src 'self' ${socket}`)
    .replace("img-src 'self'", "img-src 'self' data:");
  const text = type.startsWith('text/html') ? await answer.text() : undefined;
  return new Response(text?.replaceAll(NONCE_PLACEHOLDER, nonce) ?? (await answer.arrayBuffer()), {
    status: answer.status,
    headers: { 'content-type': type, 'content-security-policy': policy, 'cache-control': 'no-store' },
  });
}
