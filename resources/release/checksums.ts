import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The file's name, which `sha256sum --check` reads. */
const CHECKSUMS = 'SHA256SUMS';

/** Writes the SHA-256 of each file in a folder beside them. */
export async function writeChecksums(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && entry.name !== CHECKSUMS).map(({ name }) => name);
  const lines: string[] = [];
  for (const name of names.sort()) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    lines.push(`${hash.digest('hex')}  ${name}\n`);
  }
  const file = join(folder, CHECKSUMS);
  await writeFile(file, lines.join(''));
  return file;
}
