import type { AuthEvent, Profile } from './auth.ts';
import { SignInGeneration, signInFolder } from './sign-in-generation.ts';

export interface SignInWatchOptions {
  env: NodeJS.ProcessEnv;
  /** Whether there is a sign-in now. */
  isSignedIn(profile: Profile): Promise<boolean>;
  emit(event: AuthEvent): void;
}

/** Reports the sign-ins and sign-outs of other processes as events, like this process's own. */
export class SignInWatch {
  readonly #options: SignInWatchOptions;
  readonly #followed = new Map<string, { generation: SignInGeneration; end(): void; seen: string }>();

  constructor(options: SignInWatchOptions) {
    this.#options = options;
  }

  follow(profile: Profile): void {
    const key = keyOf(profile);
    if (this.#followed.has(key)) return;
    const generation = new SignInGeneration(signInFolder(this.#options.env, profile));
    const end = generation.subscribe(() => void this.#changed(profile));
    this.#followed.set(key, { generation, end, seen: generation.stamp() });
  }

  /** This process has signed in or out itself, and has said so. */
  changedHere(profile: Profile): void {
    const followed = this.#followed.get(keyOf(profile));
    if (followed) followed.seen = followed.generation.stamp();
  }

  close(): void {
    for (const { end } of this.#followed.values()) end();
    this.#followed.clear();
  }

  async #changed(profile: Profile): Promise<void> {
    const followed = this.#followed.get(keyOf(profile));
    const stamp = followed?.generation.stamp();
    if (!followed || stamp === undefined || stamp === followed.seen) return;
    followed.seen = stamp;
    const isSignedIn = await this.#options.isSignedIn(profile).catch(() => undefined);
    if (isSignedIn !== undefined) this.#options.emit({ type: isSignedIn ? 'signed-in' : 'signed-out', profile });
  }
}

function keyOf({ host, name }: Profile): string {
  return `${host} ${name}`;
}
