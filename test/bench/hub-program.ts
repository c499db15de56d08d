/** Serves proxies as the running application does, for the home folder that it is given. */
import { createCauseway } from '../../main/app/causeway.ts';

const home = process.argv[2];
if (home === undefined) throw new Error('usage: hub-program.ts HOME');
await createCauseway({ env: { HOME: home, USERPROFILE: home, CAUSEWAY_HOME: home } }).serveProxies();
console.log('ready');
