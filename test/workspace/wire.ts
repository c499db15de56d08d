import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { LoggedRequest } from './request-log.ts';

/** What passed between the workspace and its callers, with contents, for whoever shows it: tokens and codes are struck out. */

export interface Exchange {
  logged: LoggedRequest;
  /** `Bearer <ACCESS_TOKEN>` and the like: the kind of credential and not the credential. */
  authorization: string | undefined;
  /** The body of the request. */
  sent: string;
  answerHeaders: OutgoingHttpHeaders;
  /** The body of the answer, as far as it has been sent. */
  answered: string;
}

/** The part of a body that is kept, in bytes. */
const KEPT_BYTES = 64 * 1024;

export class WireRecord {
  readonly exchanges: Exchange[] = [];

  /** Keeps what passes from now on; nobody may have read from the request or written to the answer yet. */
  follow(request: IncomingMessage, response: ServerResponse, logged: LoggedRequest): void {
    const sent = new Kept();
    const answered = new Kept();
    const { authorization } = request.headers;
    const isSignIn = logged.path.startsWith('/oidc/');
    this.exchanges.push({
      logged,
      authorization: authorization && withoutSecrets(authorization),
      get sent() {
        return isSignIn ? withoutValues(sent.text) : withoutSecrets(sent.text);
      },
      get answerHeaders() {
        return response.getHeaders();
      },
      get answered() {
        return withoutSecrets(answered.text);
      },
    });
    request.push = keeping(sent, request, request.push);
    response.write = keeping(answered, response, response.write);
    response.end = keeping(answered, response, response.end);
  }
}

class Kept {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  add(chunk: unknown, encoding?: unknown): void {
    const isText = typeof chunk === 'string';
    if ((!isText && !(chunk instanceof Uint8Array)) || this.#length >= KEPT_BYTES) return;
    const bytes = isText
      ? Buffer.from(chunk, typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8')
      : Buffer.from(chunk);
    this.#chunks.push(bytes);
    this.#length += bytes.length;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).subarray(0, KEPT_BYTES).toString('utf8');
  }
}

/** The same method of a stream, which keeps the chunks that it is called with. */
function keeping<Method extends (...given: never[]) => unknown>(kept: Kept, stream: object, method: Method): Method {
  return new Proxy(method, {
    apply: (target, _, given: unknown[]) => {
      kept.add(given[0], given[1]);
      return Reflect.apply(target, stream, given);
    },
  });
}

const SECRET_NAMES =
  'access_token|refresh_token|id_token|client_secret|code|code_verifier|code_challenge|assertion|subject_token|nonce';

/** What gives a secret away, and what stands there instead. */
const STRIKES: [RegExp, string | ((match: string, name: string) => string)][] = [
  [/\bdapi[0-9a-f]{32}\b/g, '<PERSONAL_ACCESS_TOKEN>'],
  [/\bdose[0-9a-f]{32}\b/g, '<CLIENT_SECRET>'],
  [/\bBearer (?!<)[^\s"',;]+(?=["',;\s]|$)(?!=)/g, 'Bearer <ACCESS_TOKEN>'],
  [/\bBasic [A-Za-z0-9+/=]{8,}/g, 'Basic <CLIENT_ID:CLIENT_SECRET>'],
  [new RegExp(`"(${SECRET_NAMES})"\\s*:\\s*"[^"]{8,}"`, 'g'), (_, name) => `"${name}": "<${name.toUpperCase()}>"`],
  [
    new RegExp(`(?<=[?&\\s]|^)(${SECRET_NAMES}|state)=[^&\\s"]{8,}`, 'g'),
    (_, name) => `${name}=<${name.toUpperCase()}>`,
  ],
];

/** A text in which tokens, codes and secrets are named in place of being written. */
export function withoutSecrets(text: string): string {
  return STRIKES.reduce(
    (struck, [pattern, instead]) =>
      typeof instead === 'string' ? struck.replace(pattern, instead) : struck.replace(pattern, instead),
    text,
  );
}

/** A form of the sign-in: each value but the kind of the grant is struck out. */
function withoutValues(form: string): string {
  return [...new URLSearchParams(form)]
    .map(([name, value]) => `${name}=${name === 'grant_type' || name === 'scope' ? value : `<${name.toUpperCase()}>`}`)
    .join('&');
}
