import type { ConfiguredServer } from '../../../preload/contract.ts';
import type { ManagedServer } from '../../clients/servers.ts';
import type { ServerHealth } from '../../hub/warm/health.ts';
import { type HealthAction, healthInWords } from '../../hub/warm/words.ts';
import type { CausewayError, ErrorCode } from '../../platform/errors.ts';
import { asSentence, sentences } from '../../platform/sentences.ts';
import { remedyInWindow } from '../action-words.ts';

/** A server of the list with how it is, as tray and window show it. `now` is in milliseconds since the epoch. */
export function configuredServer(server: ManagedServer, health: ServerHealth, now: number): ConfiguredServer {
  const { name, profile, kind, path } = server;
  const { label, sentence, remedy, action } = healthInWords(health, { profile, now });
  return {
    name,
    profile,
    kind,
    path,
    state: {
      status: health.name,
      tools: health.name === 'ready' ? health.tools : null,
      label,
      // When it is tried again is shown as time goes by, not as it was when this was said.
      words: 'problem' in health ? asSentence(health.problem.message) : sentence,
      remedy: 'problem' in health ? remedyHere(health.problem, action) : remedy,
      retryAt: 'until' in health ? health.until : null,
      action,
    },
  };
}

const SIGN_IN = 'Sign in: a page opens in your browser.';
const ACCOUNTS = 'Look at its profile on the Accounts screen, or remove the server here.';
const WITHOUT_PROFILE: ReadonlySet<string> = new Set<ErrorCode>(['profile_not_found', 'profile_unusable', 'ambiguous']);

/** What to do, beside the button that does it. */
function remedyHere(problem: CausewayError, button: HealthAction | null): string | null {
  const { code, advice, action } = problem;
  if (button === 'sign-in' && (!action || action.do === 'sign-in')) return sentences(advice, SIGN_IN);
  return WITHOUT_PROFILE.has(code) ? ACCOUNTS : remedyInWindow(problem);
}
