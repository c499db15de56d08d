/**
 * `npm run release -- VERSION` (or `major`, `minor`, `patch`): changelog, versions, a commit and a tag, and in `dist/release/` the notes, the
 * packages that are the same for all systems, the bill of materials, the third-party notices and their checksums. `--dry-run` does
 * all of it in a copy that is thrown away. `--checksums FOLDER` only writes the checksums of a folder's files.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { ROOT } from '../notices/package-notice.ts';
import { writeChecksums } from './checksums.ts';
import { release } from './release.ts';

const run = promisify(execFile);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false }, checksums: { type: 'string' } },
});
const isDryRun = values['dry-run'];
const [asked] = positionals;

if (values.checksums !== undefined) {
  console.log(await writeChecksums(values.checksums));
} else if (asked === undefined || positionals.length > 1) {
  console.error('npm run release -- VERSION [--dry-run]: name one version, or major, minor or patch.');
  process.exitCode = 2;
} else {
  let copy: string | undefined;
  try {
    if (isDryRun) copy = await copyOfRepository();
    const folder = copy ?? ROOT;
    const date = new Date().toISOString().slice(0, 10);
    const version = await release({ folder, asked, date, build: (...made) => build(folder, ...made) });
    const done = `Committed "Release ${version}" and tagged it v${version}`;
    console.log(
      isDryRun
        ? `${done} in a copy, which is thrown away. Here nothing was changed.`
        : `${done}. To let the workflow build and draft the release: git push --follow-tags`,
    );
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  } finally {
    if (copy !== undefined) await rm(copy, { recursive: true, force: true });
  }
}

/** A clone with the same packages: changes that are not committed are not in it, so a tree with any is refused here. */
async function copyOfRepository(): Promise<string> {
  const { stdout } = await run('git', ['status', '--porcelain'], { cwd: ROOT });
  if (stdout !== '') throw new Error('There are changes that are not committed. Commit or stash them, then try again.');
  const folder = await mkdtemp(join(tmpdir(), 'causeway-release-'));
  await run('git', ['clone', '--quiet', ROOT, folder]);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  // Whoever runs it need not have told git who they are.
  for (const [name, value] of [
    ['user.name', 'Dry run'],
    ['user.email', 'dry-run@localhost'],
  ]) {
    await run('git', ['config', name ?? '', value ?? ''], { cwd: folder });
  }
  // A link is no folder to git.
  await writeFile(join(folder, '.git', 'info', 'exclude'), 'node_modules\n');
  return folder;
}

async function build(folder: string, version: string, notes: string): Promise<void> {
  const out = join(folder, 'dist', 'release');
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  await writeFile(join(out, 'NOTES.md'), `${notes}\n`);
  await npm(folder, 'run', 'sbom');
  await node(folder, 'resources/npm/main.ts', '--out', 'dist/release');
  // The native modules of other systems come from npm.
  await node(folder, 'resources/mcpb/main.ts', '--out', 'dist/release', ...(isDryRun ? ['--here'] : []));
  await rm(join(out, 'npm'), { recursive: true });
  for (const name of (await readdir(join(folder, 'dist'))).filter((each) => each.endsWith('.cdx.json'))) {
    if (name.includes(version)) await copyFile(join(folder, 'dist', name), join(out, name));
  }
  await copyFile(join(folder, 'out', 'THIRD-PARTY-NOTICES.txt'), join(out, 'THIRD-PARTY-NOTICES.txt'));
  await writeChecksums(out);
  console.log(`dist/release: ${(await readdir(out)).join(', ')}`);
}

function node(cwd: string, ...args: string[]): Promise<void> {
  return command(process.execPath, args, cwd);
}

/** On Windows npm is a script, which only a shell runs. */
function npm(cwd: string, ...args: string[]): Promise<void> {
  return command('npm', args, cwd, process.platform === 'win32');
}

async function command(program: string, args: string[], cwd: string, shell = false): Promise<void> {
  const child = spawn(program, args, { cwd, shell, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}. Nothing was committed.`);
}
