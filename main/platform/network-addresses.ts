import { networkInterfaces } from 'node:os';

/**
 * The computer's addresses as one text, to be compared with an earlier one: another network, a VPN that comes or goes
 * and a cable that is pulled all change it. Addresses that lead nowhere (loopback, link-local) do not count.
 */
export function networkAddresses(): string {
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
    .map(({ address }) => address)
    .sort()
    .join(' ');
}
