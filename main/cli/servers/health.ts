import type { ServerStatus } from '../../diagnosis/local-checks.ts';
import { formatHealth } from '../../hub/health/format.ts';
import type { CommandContext } from '../command.ts';
import { openServerList } from './servers.ts';

/** A configured server and how it is now. */
export interface AskedServer extends ServerStatus {
  profile: string;
}

/** Asks each configured server as an AI client would. Nobody is asked to sign in. */
export async function askServers(context: CommandContext): Promise<AskedServer[]> {
  const { servers } = (await openServerList(context)).read();
  if (servers.length === 0) return [];
  const warm = await context.causeway().keepWarm(servers);
  warm.keep(false);
  const stop = () => void warm.close();
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    const states = await warm.recheck();
    return states.map(({ name, profile, path, health }) => {
      const kind = servers.find((server) => server.name === name)?.kind ?? 'other';
      const known = { name, profile, kind, path, status: health.name };
      // Nothing is asked again after this, so nothing is said of that.
      if ('problem' in health) {
        const { problem } = health;
        return { ...known, words: problem.message, remedy: problem.remedy ?? null, problem };
      }
      const { sentence, remedy } = formatHealth(health, { profile, now: Date.now() });
      return { ...known, words: sentence, remedy };
    });
  } finally {
    context.signal.removeEventListener('abort', stop);
    await warm.close();
  }
}
