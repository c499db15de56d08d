import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { protocol } from 'electron';
import { RENDERER_FOLDER } from '../places.ts';
import { appFileOf, contentSecurityPolicy, NONCE_PLACEHOLDER } from './app-files.ts';
import { APP_SCHEME } from './navigation.ts';

/** Must run before the application is ready: Electron takes schemes only until then. */
export function registerAppScheme(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, codeCache: true };
  protocol.registerSchemesAsPrivileged([{ scheme: APP_SCHEME, privileges }]);
}

/** Serves the built window at `app://causeway/`, and nothing outside its folder. */
export function serveAppFiles(): void {
  protocol.handle(APP_SCHEME, async ({ method, url }) => {
    const file = method === 'GET' ? appFileOf(url, RENDERER_FOLDER) : undefined;
    const content = file && (await readFile(file.path).catch(() => undefined));
    if (!file || !content) return new Response(null, { status: 404 });
    const nonce = randomBytes(16).toString('base64');
    const isPage = file.type.startsWith('text/html');
    return new Response(
      isPage ? content.toString('utf8').replaceAll(NONCE_PLACEHOLDER, nonce) : new Uint8Array(content),
      {
        headers: {
          'content-type': file.type,
          'content-security-policy': contentSecurityPolicy(nonce),
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
        },
      },
    );
  });
}
