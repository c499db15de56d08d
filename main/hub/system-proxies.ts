import { membersOf } from '../bridge/frame/members.ts';
import type { ProxyLookup } from '../platform/system-proxies.ts';
import { hubFolder, readRendezvous } from './rendezvous.ts';

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
    const { proxies } = membersOf(JSON.parse((await askHub(rendezvous, { question: 'proxies', origin })) ?? '{}'));
    return typeof proxies === 'string' ? proxies : '';
  };
}
