import type { OtherSignIn } from '../../../preload/contract.ts';
import type { Causeway } from '../../causeway.ts';
import { CausewayError } from '../../platform/errors.ts';
import { AT_START, signInProgress } from './sign-in-state.ts';

interface UnderWay {
  work: AbortController;
  done: Promise<void>;
}

/** Sign-ins to profiles that are not the open one, which stays as it is. */
export class OtherSignIns {
  readonly #causeway: Causeway;
  readonly #show: (signIns: OtherSignIn[]) => void;
  readonly #underWay = new Map<string, UnderWay>();
  #shown: readonly OtherSignIn[] = [];

  constructor(causeway: Causeway, show: (signIns: OtherSignIn[]) => void) {
    this.#causeway = causeway;
    this.#show = show;
  }

  /**
   * Who asks for one that is under way waits for it. One that is cancelled has ended as the person wanted.
   * @throws {CausewayError} as `AuthService.signIn`
   */
  signIn(profile: string): Promise<void> {
    const known = this.#underWay.get(profile);
    if (known) return known.done;
    const work = new AbortController();
    const done = this.#run(profile, work.signal)
      .catch((error: unknown) => {
        if (!work.signal.aborted) throw error;
      })
      .finally(() => {
        this.#underWay.delete(profile);
        this.#update(profile, null);
      });
    this.#underWay.set(profile, { work, done });
    return done;
  }

  cancel(profile: string): void {
    this.#underWay.get(profile)?.work.abort(new CausewayError('sign_in_cancelled', 'Signing in was cancelled.'));
  }

  close(): void {
    for (const profile of this.#underWay.keys()) this.cancel(profile);
  }

  async #run(name: string, signal: AbortSignal): Promise<void> {
    this.#update(name, { profile: name, ...AT_START });
    const auth = await this.#causeway.auth();
    const profile = await auth.profile(name);
    signal.throwIfAborted();
    await auth.signIn(profile, {
      signal,
      onProgress: (progress) => {
        if (!signal.aborted) this.#update(name, { profile: name, ...signInProgress(progress) });
      },
    });
  }

  #update(profile: string, now: OtherSignIn | null): void {
    const others = this.#shown.filter((each) => each.profile !== profile);
    const shown = now ? [...others, now] : others;
    this.#shown = shown;
    this.#show(shown);
  }
}
