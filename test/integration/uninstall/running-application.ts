/** The application as far as uninstalling is concerned, in its own process: it serves proxies until it is asked to quit. */
import { createCauseway } from '../../../main/app/causeway.ts';

const causeway = createCauseway({ env: process.env, onQuit: () => void quit() });
const hub = await causeway.serveProxies();
process.stdout.write('ready\n');

async function quit(): Promise<void> {
  await hub.finish(0);
  await causeway.close();
}
