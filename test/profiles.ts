import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { PROFILE_NAMES, profileNamed } from './workspace/behaviors.ts';

/**
 * `npm run test:profiles [-- PROFILE… --brief]`: the suites of warehouses, proxy and command on each profile of the embedded
 * workspace, or on those named, and a table of what passed. `--brief` runs the files that the specification's sentences are in.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SUITES = ['warehouses', 'proxy', 'cli'].map((name) => `test/integration/${name}/`);
const BRIEF = [
  'test/integration/warehouses/spec-',
  'test/integration/warehouses/listing',
  'test/integration/warehouses/drop-in.test',
  'test/integration/proxy/stdio',
];

const Report = z.object({
  testResults: z.array(z.object({ name: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
});

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const USAGE = `Usage: npm run test:profiles [-- ${PROFILE_NAMES.join(' | ')} … --brief]`;

async function main(args: string[]): Promise<boolean> {
  const isBrief = args.includes('--brief');
  const named = args.filter((arg) => arg !== '--brief');
  const rows: string[] = [];
  let isGood = true;
  for (const profile of (named.length > 0 ? named : PROFILE_NAMES).map(profileNamed)) {
    console.log(`── ${profile}`);
    const { code, counts } = await run(profile, isBrief ? BRIEF : SUITES);
    isGood &&= code === 0;
    for (const [suite, { passed, failed, skipped }] of counts) {
      rows.push(`| ${profile} | ${suite} | ${passed} | ${failed} | ${skipped} |`);
    }
  }
  console.log(
    ['| profile | suite | passed | failed | skipped |', '| --- | --- | --- | --- | --- |', ...rows].join('\n'),
  );
  return isGood;
}

async function run(profile: string, files: string[]): Promise<{ code: unknown; counts: Map<string, Counts> }> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-profiles-'));
  try {
    const outputFile = join(folder, 'report.json');
    const command = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${outputFile}`];
    const child = spawn(
      process.execPath,
      [command, 'run', '--config', 'test/vitest.config.ts', ...reporters, ...files],
      {
        cwd: ROOT,
        env: { ...process.env, CAUSEWAY_TEST_WORKSPACE: profile },
        stdio: 'inherit',
      },
    );
    const [code] = await once(child, 'close');
    return { code, counts: countsIn(Report.parse(JSON.parse(await readFile(outputFile, 'utf8')))) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What passed in each folder. */
function countsIn({ testResults }: z.infer<typeof Report>): Map<string, Counts> {
  const counts = new Map<string, Counts>();
  for (const { name, assertionResults } of testResults) {
    const suite = basename(dirname(relative(ROOT, name)));
    const of = counts.get(suite) ?? { passed: 0, failed: 0, skipped: 0 };
    counts.set(suite, of);
    for (const { status } of assertionResults) {
      if (status === 'passed' || status === 'failed') of[status] += 1;
      else of.skipped += 1;
    }
  }
  return counts;
}

try {
  process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`);
  process.exitCode = 2;
}
