import { percentDecoded } from '../platform/percent.ts';

/** How rules name a server: one text for every spelling of its host and path. Names in Unity Catalog ignore case. */
export function serverKey(host: string, path: string): string {
  const { origin, pathname } = new URL(path, host);
  return `${origin}${percentDecoded(pathname)
    .toLowerCase()
    .replace(/\/{2,}/g, '/')
    .replace(/\/+$/, '')}`;
}
