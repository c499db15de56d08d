import { sentences } from '../platform/errors.ts';
import { type AuthEvent, maySignIn, type Profile, type ProfileEntry, signInKey } from './auth.ts';
import type { SignInGeneration } from './sign-in-generation.ts';

export interface SignInEventsPort {
  onNotice(message: string): void;
  profiles(): Promise<ProfileEntry[]>;
  /** Whether there is a sign-in now. */
  isSignedIn(profile: Profile): Promise<boolean>;
}

/** A profile whose changes by other processes are reported. */
interface Followed {
  generation: SignInGeneration;
  end(): void;
  /** The last stamp that was looked at. */
  seen: string;
  /** The stamp of the last change that this process has made. */
  own?: string;
  /** The last change that was taken for another process's. */
  reported?: { stamp: string; type: AuthEvent['type'] };
}

/** Reports this process's sign-ins and sign-outs, and those of other processes, as events. */
export class SignInEvents {
  readonly #env: NodeJS.ProcessEnv;
  readonly #port: SignInEventsPort;
  readonly #listeners = new Set<(event: AuthEvent) => void>();
  readonly #underWay = new Map<string, { url: string | undefined }>();
  readonly #generations = new Map<string, Promise<SignInGeneration>>();
  /** The profiles of which other processes' changes are reported. */
  readonly #followed = new Map<string, Followed>();

  constructor(env: NodeJS.ProcessEnv, port: SignInEventsPort) {
    this.#env = env;
    this.#port = port;
  }

  /** The sign-in that this process knows to be open in the browser now. */
  underWay(profile: Profile): { url: string | undefined } | undefined {
    return this.#underWay.get(signInKey(profile));
  }

  emit(event: AuthEvent): void {
    if (event.type === 'sign-in-began') this.#underWay.set(signInKey(event.profile), { url: event.url });
    if (event.type === 'sign-in-ended') this.#underWay.delete(signInKey(event.profile));
    if (event.type === 'notice') this.#port.onNotice(event.message);
    if (event.type === 'not-kept') this.#port.onNotice(sentences(event.message, event.remedy));
    if (event.type === 'signed-in' || event.type === 'signed-out') {
      const followed = this.#followed.get(signInKey(event.profile));
      if (followed) {
        const stamp = followed.generation.stamp();
        // The store may be seen to change before this process says that it was its own change.
        if (followed.reported?.stamp === stamp && followed.reported.type === event.type) return;
        followed.seen = stamp;
        followed.own = stamp;
      }
    }
    this.#tell(event);
  }

  #tell(event: AuthEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: (event: AuthEvent) => void): () => void {
    this.#listeners.add(listener);
    this.follow();
    return () => this.#listeners.delete(listener);
  }

  /** Calls back soon after a user has signed in or out, in any process. @returns a function that ends it */
  onChange(profile: Profile, listener: () => void): () => void {
    let isOver = false;
    let end = () => {
      isOver = true;
    };
    void this.#generationOf(profile).then((generation) => {
      if (!isOver) end = generation.subscribe(listener);
    });
    return () => end();
  }

  /** Reports what other processes change in the profiles that are there now. */
  follow(): void {
    if (this.#listeners.size > 0) void this.#followAll();
  }

  close(): void {
    this.#listeners.clear();
    for (const { end } of this.#followed.values()) end();
    this.#followed.clear();
  }

  async #followAll(): Promise<void> {
    for (const entry of await this.#port.profiles().catch(() => [])) {
      if (!entry.usable || !maySignIn(entry.profile)) continue;
      const { profile } = entry;
      const generation = await this.#generationOf(profile);
      if (this.#listeners.size === 0 || this.#followed.has(signInKey(profile))) continue;
      const end = generation.subscribe(() => void this.#changed(profile));
      this.#followed.set(signInKey(profile), { generation, end, seen: generation.stamp() });
    }
  }

  async #changed(profile: Profile): Promise<void> {
    const followed = this.#followed.get(signInKey(profile));
    const stamp = followed?.generation.stamp();
    if (!followed || stamp === undefined || stamp === followed.seen) return;
    followed.seen = stamp;
    const isSignedIn = await this.#port.isSignedIn(profile).catch(() => undefined);
    if (isSignedIn === undefined || followed.own === stamp) return;
    const type = isSignedIn ? 'signed-in' : 'signed-out';
    followed.reported = { stamp, type };
    this.#tell({ type, profile });
  }

  #generationOf(profile: Profile): Promise<SignInGeneration> {
    const key = signInKey(profile);
    const made =
      this.#generations.get(key) ??
      import('./sign-in-generation.ts').then(
        ({ SignInGeneration, signInFolder }) => new SignInGeneration(signInFolder(this.#env, profile)),
      );
    this.#generations.set(key, made);
    return made;
  }
}
