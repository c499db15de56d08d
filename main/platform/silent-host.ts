import { CausewayError } from './errors.ts';

/** How long a host may be silent, in milliseconds: the one table for REST, sign-in and the bridge. */
export const SILENCE = {
  /** Before the user is notified. */
  noticeMs: 5_000,
  /** Before a host that has never answered is given up, and a request that only begins or lists. */
  limitMs: 15_000,
} as const;

/** A host that takes requests and answers none: a wrong address, or a network in between that swallows them. */
export class SilentHostError extends CausewayError {
  constructor(host: string, limitMs: number) {
    const seconds = Math.round(limitMs / 1000);
    super('unreachable', `${host} has not answered within ${seconds} seconds.`, {
      remedy:
        'Likely causes: the address is wrong, its name leads to another computer (DNS), or a firewall, VPN or proxy swallows the packets.',
    });
  }
}
