/** `npm run dashboards`: writes the dashboards as files. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dashboardFiles } from './files.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

for (const [path, text] of dashboardFiles()) await writeFile(join(ROOT, path), text);
