import { extname, join, normalize, sep } from 'node:path';
import { isOwnAddress } from './navigation.ts';

/** What the build leaves in `index.html` where each load gets its own nonce. */
export const NONCE_PLACEHOLDER = 'NONCE-OF-THIS-LOAD';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

export interface AppFile {
  path: string;
  type: string;
}

/**
 * The file for an address of the window: inside `folder`, of a known type, or undefined. Dots, encoded dots
 * and separators cannot lead out of the folder.
 */
export function appFileOf(address: string, folder: string): AppFile | undefined {
  if (!isOwnAddress(address)) return undefined;
  const path = decoded(new URL(address).pathname);
  if (path === undefined || path.includes('\0') || path.includes('\\')) return undefined;
  const file = normalize(join(folder, path));
  const type = TYPES[extname(file)];
  return type !== undefined && file.startsWith(folder + sep) ? { path: file, type } : undefined;
}

/**
 * The Content-Security-Policy of one load. The component library adds a style element with the theme's colors: the nonce
 * admits it without admitting inline styles at large.
 */
export function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
