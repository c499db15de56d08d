import { createCauseway } from '../../../main/app/causeway.ts';
import { createDesktop } from '../../../main/desktop/desktop.ts';
import { plainSettings, plainShell } from '../../plain-desktop.ts';

/** Starts all of the application but Electron, says so, and ends. */
const { env } = process;
const causeway = createCauseway({ env });
const desktop = createDesktop({ causeway, env, settings: plainSettings(env), shell: plainShell(), onEvent: () => {} });
await desktop.start(undefined);
process.stdout.write('started\n', () => process.exit(0));
