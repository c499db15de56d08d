import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What both ends of a connection know before either has proven itself. */
export interface Transcript {
  /** Where the proxy has connected to, and where the hub listens: a peer that passes the lines on from elsewhere fails. */
  address: string;
  proxyNonce: string;
  hubNonce: string;
}

/** 32 random bytes in base64url. */
export function freshNonce(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a text may be a nonce of `freshNonce`. */
export function isNonce(text: unknown): text is string {
  return typeof text === 'string' && /^[\w-]{43}$/.test(text);
}

/**
 * Proves that its maker holds the secret, without showing it (HMAC-SHA256, RFC 2104). The side is part of it, so that
 * neither side's proof can be sent back as the other's.
 */
export function proofOf(side: 'hub' | 'proxy', secret: string, { address, proxyNonce, hubNonce }: Transcript): string {
  const text = ['causeway hub 2', side, proxyNonce, hubNonce, address].join('\n');
  return createHmac('sha256', secret).update(text).digest('base64url');
}

/** Compares a proof with what it should be, in the same time whatever it is. */
export function isProof(given: unknown, expected: string): boolean {
  if (typeof given !== 'string') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
