import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Where packages put files. */
const SYSTEM = ['/boot', '/etc', '/opt', '/srv', '/usr', '/var'];
/** What package managers keep of their own work, whatever they install. */
const BOOKKEEPING =
  /^\/var\/(cache\/(apt|debconf|man)|lib\/(apt|dpkg\/(lock|status|available|triggers|updates|diversions|statoverride))|log)(\/|-|$)/;

/** Every file, link and folder where packages put theirs. */
export async function systemFiles(): Promise<string[]> {
  return (await filesIn(...SYSTEM)).filter((path) => !BOOKKEEPING.test(path));
}

/** Every file, link and folder below folders. */
export async function filesIn(...folders: string[]): Promise<string[]> {
  // Other programs on this computer may remove theirs meanwhile.
  const script = 'find "$@" -xdev 2>/dev/null || true';
  const { stdout } = await run('sh', ['-c', script, 'sh', ...folders], { maxBuffer: MAX_OUTPUT_BYTES });
  return stdout.split('\n').filter(Boolean).sort();
}

/** What is in one list and not in the other: `+` before what was added, `-` before what is gone. */
export function difference(before: readonly string[], after: readonly string[]): string[] {
  const [had, has] = [new Set(before), new Set(after)];
  const added = after.filter((path) => !had.has(path)).map((path) => `+ ${path}`);
  return [...added, ...before.filter((path) => !has.has(path)).map((path) => `- ${path}`)];
}
