import { membersOf } from '../bridge/frame/members.ts';
import type { ProxyLookup } from '../platform/system-proxies.ts';
import { hubFolder, readRendezvous } from './rendezvous.ts';

/**
 * Asks the running application what the desktop's settings say of proxies. Without it, or if it does not answer, nothing is
 * known but the direct way.
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
