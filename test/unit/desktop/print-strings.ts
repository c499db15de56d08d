/** `npm run strings`: every text that a user may read, a folder a section. */
import { readCatalog } from './strings-catalog.ts';

const catalog = await readCatalog();
for (const folder of new Set(catalog.map((text) => text.folder))) {
  console.log(`\n${folder}`);
  for (const { key, text } of catalog.filter((each) => each.folder === folder)) console.log(`  ${key}: ${text}`);
}
