/** `npm run policy-files`: writes the files that are made from the schemas of a policy and a permissions file. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { policyFiles } from './files.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

for (const [path, text] of policyFiles()) {
  await mkdir(dirname(join(ROOT, path)), { recursive: true });
  await writeFile(join(ROOT, path), text);
}
