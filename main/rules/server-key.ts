import { percentDecoded } from '../platform/percent.ts';

/** How rules name a server: one text for every spelling of its host and path. Names in Unity Catalog ignore case. */
export function serverKey(host: string, path: string): string {
  // Two slashes at the beginning would name another host.
  const { origin, pathname } = new URL(path.replace(/^[\\/]{2,}/, '/'), host);
  return `${origin}${plainPath(pathname)}`;
}

const ANY_HOST = 'https://any.invalid';

/** One text for every spelling of a path: without percent signs, in small letters, without doubled or last slashes and query. */
export function plainPath(path: string): string {
  let plain = resolved(path);
  // What is decoded may lead to another folder, or be encoded once more: `sql%2F..%2Fgenie`.
  for (let round = 0, before = ''; round < MAX_ROUNDS && plain !== before; round += 1) {
    before = plain;
    plain = reread(plain);
  }
  return plain
    .toLowerCase()
    .replace(/\/{2,}/g, '/')
    .replace(/\/+$/, '');
}

/** No server decodes a path so many times. */
const MAX_ROUNDS = 8;

const reread = (path: string) => resolved(path.replaceAll('?', '%3F').replaceAll('#', '%23'));

function resolved(path: string): string {
  return percentDecoded(new URL(path.replace(/^[\\/]{2,}/, '/'), ANY_HOST).pathname);
}
