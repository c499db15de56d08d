import type { ConfiguredServer } from '../../../preload/contract.ts';
import type { ManagedServer } from '../../clients/servers.ts';
import type { ServerHealth } from '../../hub/warm/health.ts';
import { healthInWords } from '../../hub/warm/words.ts';

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
      words: 'problem' in health ? closed(health.problem.message) : sentence,
      // The services' remedy may be a command; here there is a button.
      remedy: action === 'sign-in' ? 'Sign in: a page opens in your browser.' : remedy,
      retryAt: 'until' in health ? health.until : null,
      action,
    },
  };
}

/** Servers leave out the full stop after what they say. */
function closed(sentence: string): string {
  return /[.!?…]$/.test(sentence.trimEnd()) ? sentence : `${sentence.trimEnd()}.`;
}
