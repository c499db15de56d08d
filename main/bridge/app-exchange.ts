import { isLoopback } from '../auth/profiles/host.ts';
import { REDACTED } from '../platform/redact.ts';
import type { Secret } from '../platform/secret.ts';
import { type HttpOutcome, header } from './http-exchange.ts';

/** Where a request goes. */
export interface AppPlace {
  origin: string;
  path: string;
}

/** Redirects that keep method and body. */
const KEEPS_METHOD = new Set([307, 308]);
const REDIRECTS = new Set([301, 302, 307, 308]);

/**
 * The path at the same origin to which an app's redirect leads. Frameworks redirect `/mcp` to `/mcp/`, and take themselves to
 * be at the address on which they listen behind the edge, such as `http://localhost:8000`. Undefined where it leads elsewhere,
 * or to the workspace, whose sign-in page it then is: the host of a redirect is never sent anything.
 */
export function pathAfterRedirect(
  outcome: HttpOutcome,
  { origin, path }: AppPlace,
  workspace: string,
): string | undefined {
  if (outcome.kind !== 'refused' || !REDIRECTS.has(outcome.head.status)) return undefined;
  const target = redirectTarget(outcome, { origin, path });
  if (!target || target.origin === workspace || target.username !== '' || target.password !== '') return undefined;
  const isOwn = target.origin === origin && KEEPS_METHOD.has(outcome.head.status);
  const isInner = target.origin !== origin && /^https?:$/.test(target.protocol) && isLoopback(target.hostname);
  return isOwn || isInner ? `${target.pathname}${target.search}` : undefined;
}

/** Where a redirect leads; undefined where it does not say. */
export function redirectTarget(
  outcome: Extract<HttpOutcome, { kind: 'refused' }>,
  { origin, path }: AppPlace,
): URL | undefined {
  const location = header(outcome.head, 'location');
  const base = new URL(path, origin);
  return location !== undefined && URL.canParse(location, base.href) ? new URL(location, base) : undefined;
}

/**
 * A frame without the tokens that were sent: an app may answer with what it was sent. They are found as they are, and in what
 * a server that does not mean to hide them would put around them: base64, in which MCP itself carries binary contents, and
 * hexadecimal. Nothing else of a result is changed. An app that wants to hide a token can, and has it anyway (SECURITY.md).
 */
export function withoutTokens(frame: Buffer, sent: readonly Secret[]): Buffer {
  let left = frame;
  for (const token of sent) {
    for (const [spelling, instead] of spellingsOf(token)) {
      // Bytes as characters: what else is in the frame stays as it is.
      if (left.includes(spelling)) left = Buffer.from(left.toString('latin1').replaceAll(spelling, instead), 'latin1');
    }
  }
  return left;
}

const SPELLINGS = new WeakMap<Secret, ReadonlyMap<string, string>>();
/** A token of fewer characters than this is none, and would be found encoded in what is no token. */
const MIN_ENCODED_LENGTH = 16;

/** How a token may be written, and what stands for it then: encoded contents stay as long as they are, and can be decoded. */
function spellingsOf(token: Secret): ReadonlyMap<string, string> {
  const known = SPELLINGS.get(token);
  if (known) return known;
  const value = token.reveal();
  const found = new Map<string, string>();
  if (value !== '') found.set(value, REDACTED);
  if (value.length >= MIN_ENCODED_LENGTH) {
    for (const before of [0, 1, 2]) {
      const bytes = Buffer.from(' '.repeat(before) + value);
      // The first and the last characters also depend on what stands around the token.
      const [start, end] = [before === 0 ? 0 : before + 1, Math.floor((bytes.length * 8) / 6)];
      for (const encoding of ['base64', 'base64url'] as const) {
        const spelling = bytes.toString(encoding).slice(start, end);
        found.set(spelling, 'A'.repeat(spelling.length));
      }
    }
    const hex = Buffer.from(value).toString('hex');
    for (const spelling of [hex, hex.toUpperCase()]) found.set(spelling, '0'.repeat(spelling.length));
  }
  SPELLINGS.set(token, found);
  return found;
}
