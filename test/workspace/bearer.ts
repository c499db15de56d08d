import type { IncomingMessage } from 'node:http';
import type { Principal } from './model.ts';
import type { Entra } from './sign-in/entra.ts';
import type { SignIn } from './sign-in/sign-in.ts';
import type { ReplaceableState } from './state.ts';

/** The token of a request, as sent; undefined if there is none. */
export function bearerOf(request: IncomingMessage): string | undefined {
  return /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** Tells whom a token stands for: a personal access token, one that the sign-in gave out, or one of Entra ID. */
export class Bearers {
  readonly #state: ReplaceableState;
  /** Personal access token to user id. */
  readonly #personal: Map<string, string>;
  readonly #signIn: SignIn;
  readonly #entra: Entra;
  readonly #refused = new Set<string>();

  constructor(state: ReplaceableState, personal: Map<string, string>, signIn: SignIn, entra: Entra) {
    this.#state = state;
    this.#personal = personal;
    this.#signIn = signIn;
    this.#entra = entra;
  }

  async principalOf(token: string | undefined): Promise<Principal | undefined> {
    if (token === undefined || this.#refused.has(token)) return undefined;
    const id = this.#personal.get(token);
    const everything = new Set(['all-apis']);
    if (id === undefined) {
      const entraUser = this.#entra.userOf(token);
      if (entraUser) return { user: entraUser, scopes: everything, token: 'entra' };
      return this.#signIn.principalOf(token);
    }
    const user = this.#state.users.find((candidate) => candidate.id === id && candidate.active);
    return user && { user, scopes: everything, token: 'personal' };
  }

  refuse(token: string): void {
    this.#refused.add(token);
  }
}
