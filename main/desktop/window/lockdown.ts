import { app, session, shell } from 'electron';
import { startAddress } from '../../auth/oauth/start-address.ts';
import { CausewayError } from '../../platform/errors.ts';
import { isClientUrl, isOwnAddress } from './navigation.ts';

/** Denies what a page could ask for: permissions, devices, other addresses, new windows, embedded pages. */
export function lockDown(): void {
  const { defaultSession } = session;
  defaultSession.setPermissionRequestHandler((_contents, _permission, decide) => decide(false));
  defaultSession.setPermissionCheckHandler(() => false);
  defaultSession.setDevicePermissionHandler(() => false);
  defaultSession.webRequest.onBeforeRequest(({ url }, decide) => decide({ cancel: !isOwnAddress(url) }));

  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-navigate', (event) => event.preventDefault());
    contents.on('will-redirect', (event) => event.preventDefault());
    contents.on('will-attach-webview', (event) => event.preventDefault());
  });
}

/** Shows an address in the system's browser. Only `main/auth/browser-gate.ts` and the menu, whose addresses are fixed, lead here. */
export async function openInSystemBrowser(address: string): Promise<void> {
  // On Linux it becomes an argument of a program, which other users of the computer can read.
  await shell.openExternal(process.platform === 'linux' ? startAddress(address) : address);
}

/** Hands an AI client its own link. @throws {CausewayError} `usage`, `not_found` */
export async function openInClient(link: string): Promise<void> {
  if (!isClientUrl(link))
    throw new CausewayError('usage', 'The link was not opened. It does not lead to an AI client.');
  // On Linux Electron starts a program that looks for the client, and does not wait for what it finds.
  const isForProgram = process.platform === 'linux' && !link.startsWith('https:');
  if (isForProgram && app.getApplicationNameForProtocol(link) === '') throw noProgram();
  try {
    await shell.openExternal(link);
  } catch (cause) {
    throw noProgram(cause);
  }
}

function noProgram(cause?: unknown): CausewayError {
  return new CausewayError('not_found', 'No program on this computer opens this link.', {
    cause,
    remedy: 'Start the client once, then try again.',
  });
}
