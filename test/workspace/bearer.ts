import type { IncomingMessage } from 'node:http';
import type { Principal } from './model.ts';
import type { SignIn } from './sign-in/sign-in.ts';
import type { ReplaceableState } from './state.ts';

/** The token of a request, as sent; undefined if there is none. */
export function bearerOf(request: IncomingMessage): string | undefined {
  return /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** Tells whom a token stands for: a personal access token, or one that the sign-in gave out. */
export class Bearers {
  readonly #state: ReplaceableState;
  /** Personal access token to user id. */
  readonly #personal: Map<string, string>;
  readonly #signIn: SignIn;
  readonly #refused = new Set<string>();

  constructor(state: ReplaceableState, personal: Map<string, string>, signIn: SignIn) {
    this.#state = state;
    this.#personal = personal;
    this.#signIn = signIn;
  }

  async principalOf(token: string | undefined): Promise<Principal | undefined> {
    if (token === undefined || this.#refused.has(token)) return undefined;
    const id = this.#personal.get(token);
    if (id === undefined) return this.#signIn.principalOf(token);
    const user = this.#state.users.find((candidate) => candidate.id === id && candidate.active);
    return user && { user, scopes: new Set(['all-apis']) };
  }

  refuse(token: string): void {
    this.#refused.add(token);
  }
}
