import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Notes the packages that a program loads, and prints them behind what the program prints. */
const PROGRAM = `
import { registerHooks } from 'node:module';
const packages = new Set();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(resolved.url)?.[1];
    if (name) packages.add(name);
    return resolved;
  },
});
const module = await import(process.argv[1]);
`;

/**
 * Runs statements in their own process and gives what they print and the packages that they load.
 *
 * @param path the module that they use as `module`, from the root of the repository
 */
export async function loadedPackages(path: string, statements: string, env: NodeJS.ProcessEnv) {
  const program = `${PROGRAM}${statements}\nconsole.log(JSON.stringify([...packages]));`;
  const { href } = new URL(`../../../${path}`, import.meta.url);
  const args = ['--input-type=module', '-e', program, href];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const lines = stdout.trimEnd().split('\n');
  return { printed: lines.slice(0, -1), packages: JSON.parse(lines.at(-1) ?? '') as unknown };
}
