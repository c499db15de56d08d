/** `npm run reference`: writes `docs/reference/` from the code. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { referenceFiles } from './files.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

await rm(join(ROOT, 'docs/reference'), { recursive: true, force: true });
for (const [path, text] of referenceFiles()) {
  await mkdir(dirname(join(ROOT, path)), { recursive: true });
  await writeFile(join(ROOT, path), text);
}
