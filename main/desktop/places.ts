import { join } from 'node:path';

// Two folders up from here in the sources, two up from `out/main/index.js` in the build: the application's own folder.
const APP_FOLDER = join(import.meta.dirname, '..', '..');

export const RENDERER_FOLDER = join(APP_FOLDER, 'out', 'renderer');
export const PRELOAD_FILE = join(APP_FOLDER, 'out', 'preload', 'index.cjs');
/** The `causeway` command as it is built, which Node runs. */
export const COMMAND_FILE = join(APP_FOLDER, 'out', 'cli', 'causeway.js');
/** What works on clients' files in a thread of its own: as it is built, or in the sources, which tests run. */
export const FILES_THREAD = import.meta.filename.endsWith('.ts')
  ? join(APP_FOLDER, 'main', 'clients', 'files-thread.ts')
  : join(APP_FOLDER, 'out', 'main', 'files-thread.js');
/** What keeps calls in a thread of its own, likewise. */
export const ACTIVITY_THREAD = import.meta.filename.endsWith('.ts')
  ? join(APP_FOLDER, 'main', 'activity', 'activity-thread.ts')
  : join(APP_FOLDER, 'out', 'main', 'activity-thread.js');
/** The licenses of everything in the application, which `resources/notices/` makes. */
export const NOTICES_FILE = join(APP_FOLDER, 'out', 'notices.json');
export const RESOURCES_FOLDER = join(APP_FOLDER, 'resources');
