/**
 * `npm run package:mcpb`: the desktop extension for Claude Desktop, `dist/causeway-VERSION.mcpb`. With `-- --here`, the keychain's
 * native module for this computer alone, which needs no network.
 */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { targetOf } from '../packaging/target.ts';
import { TARGETS, writeBundle } from './bundle.ts';

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'dist' }, here: { type: 'boolean', default: false } },
});
const file = join(values.out, `${manifest.name}-${manifest.version}.mcpb`);
await mkdir(values.out, { recursive: true });
const targets = values.here ? [targetOf(process.platform, process.arch)] : TARGETS;
await writeBundle(file, targets, process.env.GITHUB_REPOSITORY);
console.log(`${file}: ${((await stat(file)).size / 2 ** 20).toFixed(2)} MiB, for ${targets.map(nameOf).join(', ')}`);

function nameOf({ platform, arch }: (typeof targets)[number]): string {
  return `${platform}-${arch}`;
}
