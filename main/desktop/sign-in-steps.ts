import type { OtherSignIn, SignInStep, WarehouseState } from '../../preload/contract.ts';
import type { Causeway } from '../app/causeway.ts';
import type { Profile, SignInProgress } from '../auth/auth.ts';
import type { AuthService } from '../auth/open.ts';
import { CausewayError } from '../platform/errors.ts';

/** The question before another user takes the place of the one who is signed in, whose names may not be known. */
export function userChangeQuestion({
  profile,
  from,
  to,
}: {
  profile: string;
  from?: string | undefined;
  to?: string | undefined;
}) {
  return {
    message: `Sign in as ${to ?? 'another user'} instead?`,
    detail: `Profile ${profile} is signed in as ${from ?? 'another user'}. AI clients that use it then continue as ${to ?? 'the new user'}.`,
    verb: 'Sign in',
  };
}

/** The first step of a sign-in, before it is known who signed in last. */
export function firstSignInStep({ host }: Pick<Profile, 'host'>): SignInStep {
  return { step: 'starting', host, user: null, address: null };
}

/** Signs in, and reports each step. @throws {CausewayError} as `AuthService.signIn` */
export async function signInShowingSteps(
  auth: AuthService,
  profile: Profile,
  signal: AbortSignal,
  show: (step: SignInStep) => void,
): Promise<void> {
  const last = await auth.signInState(profile).catch(() => undefined);
  signal.throwIfAborted();
  const user = (last?.state === 'signed-in' && last.userName) || null;
  let step: SignInStep = { ...firstSignInStep(profile), user };
  show(step);
  await auth.signIn(profile, {
    signal,
    onProgress: (progress) => {
      step = nextSignInStep(step, progress);
      show(step);
    },
  });
}

/** The progress of a sign-in as the window shows it. */
function nextSignInStep(before: SignInStep, progress: SignInProgress): SignInStep {
  switch (progress.step) {
    case 'waiting-for-browser':
      return { ...before, step: progress.step, address: progress.opened ? null : progress.url };
    case 'ignored-answer':
      return { ...before, step: 'waiting-for-browser' };
    case 'replaced':
    case 'waiting-for-device':
      return before;
    default:
      return { ...before, step: progress.step, address: null };
  }
}

/** Whether a sign-in in the browser has just succeeded: the user is still there. */
export function comesFromBrowser(before: WarehouseState, now: WarehouseState): boolean {
  return before.status === 'signing-in' && now.status === 'known';
}

interface PendingSignIn {
  work: AbortController;
  done: Promise<void>;
}

/** Sign-ins to profiles that are not open. The open profile stays open. */
export class OtherSignIns {
  readonly #causeway: Causeway;
  readonly #show: (signIns: OtherSignIn[]) => void;
  readonly #pending = new Map<string, PendingSignIn>();
  #shown: readonly OtherSignIn[] = [];

  constructor(causeway: Causeway, show: (signIns: OtherSignIn[]) => void) {
    this.#causeway = causeway;
    this.#show = show;
  }

  /**
   * A second call for a profile joins the sign-in in flight. A sign-in that the user cancels resolves.
   * @throws {CausewayError} as `AuthService.signIn`
   */
  signIn(profile: string): Promise<void> {
    const known = this.#pending.get(profile);
    if (known) return known.done;
    const work = new AbortController();
    const done = this.#run(profile, work.signal)
      .catch((error: unknown) => {
        if (!work.signal.aborted) throw error;
      })
      .finally(() => {
        this.#pending.delete(profile);
        this.#update(profile, null);
      });
    this.#pending.set(profile, { work, done });
    return done;
  }

  cancel(profile: string): void {
    this.#pending.get(profile)?.work.abort(new CausewayError('sign_in_cancelled', 'Sign-in canceled.'));
  }

  close(): void {
    for (const profile of this.#pending.keys()) this.cancel(profile);
  }

  async #run(name: string, signal: AbortSignal): Promise<void> {
    const auth = await this.#causeway.auth();
    const profile = await auth.profile(name);
    signal.throwIfAborted();
    this.#update(name, { profile: name, ...firstSignInStep(profile) });
    await signInShowingSteps(auth, profile, signal, (step) => {
      if (!signal.aborted) this.#update(name, { profile: name, ...step });
    });
  }

  #update(profile: string, now: OtherSignIn | null): void {
    const others = this.#shown.filter((each) => each.profile !== profile);
    const shown = now ? [...others, now] : others;
    this.#shown = shown;
    this.#show(shown);
  }
}
