import { join } from 'node:path';

// Two folders up from here in the sources, two up from `out/main/index.js` in the build: the application's own folder.
const APP_FOLDER = join(import.meta.dirname, '..', '..');

export const RENDERER_FOLDER = join(APP_FOLDER, 'out', 'renderer');
export const PRELOAD_FILE = join(APP_FOLDER, 'out', 'preload', 'index.cjs');
/** The `causeway` command as it is built, which Node runs. */
export const COMMAND_FILE = join(APP_FOLDER, 'out', 'cli', 'causeway.js');
/** The licenses of everything in the application, which `resources/notices/` makes. */
export const NOTICES_FILE = join(APP_FOLDER, 'out', 'notices.json');
export const RESOURCES_FOLDER = join(APP_FOLDER, 'resources');
