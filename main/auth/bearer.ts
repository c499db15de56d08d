import { Secret } from '../platform/secret.ts';

/** A bearer token with the headers that have to go out beside it; their names are in lower case. */
export class BearerToken extends Secret {
  readonly #beside: Readonly<Record<string, Secret>>;

  constructor(value: string, beside: Readonly<Record<string, Secret>>) {
    super(value);
    this.#beside = beside;
  }

  headers(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.#beside).map(([name, value]) => [name, value.reveal()]));
  }

  secrets(): Secret[] {
    return Object.values(this.#beside);
  }
}

/** The headers that show a token to the workspace. */
export function bearerHeaders(token: Secret): Record<string, string> {
  const authorization = `Bearer ${token.reveal()}`;
  return token instanceof BearerToken ? { ...token.headers(), authorization } : { authorization };
}

/** What goes out with a token, and so may be repeated in an answer. */
export function sentWith(token: Secret): Secret[] {
  return token instanceof BearerToken ? [token, ...token.secrets()] : [token];
}
