import { serverPathKey, splitAddress } from '../../preload/contract/server-path.ts';

/**
 * How permissions name a server: one text for every spelling of its host and path. What is not the path of a server stays as it is;
 * no session with it is opened.
 */
export function serverKey(host: string, path: string): string {
  return `${new URL(host).origin}${serverPathKey(path) ?? path}`;
}

/** The `serverKey` of a server's full address; undefined for another text. No host has a star in its name. */
export function keyOfAddress(text: string): string | undefined {
  const address = splitAddress(text);
  if (address?.origin.includes('*')) return undefined;
  const key = address && serverPathKey(address.path);
  return key === undefined ? undefined : `${address?.origin}${key}`;
}
