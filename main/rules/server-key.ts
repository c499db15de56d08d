import { percentDecoded } from '../platform/percent.ts';

/** The server that rules name: host and path, however they are spelled. Unity Catalog's names have no case. */
export function serverKey(host: string, path: string): string {
  const { origin, pathname } = new URL(path, host);
  return `${origin}${percentDecoded(pathname)
    .toLowerCase()
    .replace(/\/{2,}/g, '/')
    .replace(/\/+$/, '')}`;
}
