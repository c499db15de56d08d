/** Serves proxies as the running application does, with its own environment. */
import { createCauseway } from '../../../main/app/causeway.ts';

await createCauseway({ env: process.env }).serveProxies();
console.log('ready');
