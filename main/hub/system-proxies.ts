import { membersOf } from '../bridge/frame/members.ts';
import type { ProxyLookup } from '../platform/system-proxies.ts';
import { hubFolder, readRendezvous } from './rendezvous.ts';
import { HELLO_MS } from './wire.ts';

/**
 * Asks the running application for the proxies in the desktop's settings. Without it, or if it does not answer, connections are
 * direct.
 */
export function hubProxies(env: NodeJS.ProcessEnv): ProxyLookup {
  return async (origin) => {
    const rendezvous = readRendezvous(hubFolder(env));
    // The application itself asks the desktop.
    if (!rendezvous || rendezvous.pid === process.pid) return '';
    const { askHub } = await import('./attach.ts');
    // A connection waits for it.
    const answer = await askHub(rendezvous, { question: 'proxies', origin }, HELLO_MS);
    const { proxies } = membersOf(JSON.parse(answer ?? '{}'));
    return typeof proxies === 'string' ? proxies : '';
  };
}
