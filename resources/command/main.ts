/** `npm run install:command` and `npm run uninstall:command`: an executable `causeway` for this user, which starts this checkout. */
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { homeFolder } from '../../main/platform/paths.ts';
import { writeWholeFile } from '../../main/platform/replace-file.ts';
import { chosenFolder, commandFolders, fileName, isLauncher, launcherText, pathAdvice } from './launcher.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { platform, env } = process;
const computer = { platform, env, home: homeFolder(env) };
const started = {
  node: join(ROOT, 'node_modules', 'node', 'bin', platform === 'win32' ? 'node.exe' : 'node'),
  script: join(ROOT, 'out', 'cli', 'causeway.js'),
};

/** The text of a file; undefined if there is none. A folder, or a file that cannot be read, is none of ours. */
function textOf(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function install(): Promise<void> {
  for (const path of Object.values(started))
    if (!existsSync(path)) throw new Error(`${path} is not there. Run npm ci.`);
  const { folder, isOnPath } = chosenFolder(computer);
  const file = join(folder, fileName(platform));
  const before = textOf(file);
  if (before !== undefined && !isLauncher(before)) {
    throw new Error(`${file} is another program. It was left as it is. Rename it, or start ${started.script} instead.`);
  }
  const text = launcherText(platform, started);
  if (before !== text) await writeWholeFile(file, text, { mode: 0o755 });
  console.log(`${file} starts the command of ${ROOT}.`);
  console.log(isOnPath ? 'Try it: causeway --version' : pathAdvice(computer, folder));
}

async function uninstall(): Promise<void> {
  const files = commandFolders(computer).map((folder) => join(folder, fileName(platform)));
  const own = launcherText(platform, started);
  let count = 0;
  for (const file of files) {
    const text = textOf(file);
    if (text === own) {
      await rm(file);
      count += 1;
      console.log(`Removed ${file}.`);
    } else if (text !== undefined) {
      const whose = isLauncher(text) ? 'starts another checkout' : 'is another program';
      console.log(`${file} ${whose}. It was left as it is.`);
    }
  }
  if (count === 0) console.log('There is no command of this checkout to remove.');
}

const actions = new Map([
  ['install', install],
  ['uninstall', uninstall],
]);
const action = actions.get(process.argv[2] ?? '');
try {
  if (!action) throw new Error('Usage: npm run install:command, or npm run uninstall:command');
  await action();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
