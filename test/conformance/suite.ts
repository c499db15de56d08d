import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { z } from 'zod';

/** How one check of one scenario ended; `noted` is what the suite calls INFO. */
export type Verdict = 'passed' | 'failed' | 'warned' | 'skipped' | 'noted';
/** What a suite found: `scenario:check` and how it ended; of several by one name, the worst. */
export type Findings = Map<string, Verdict>;

const Checks = z.array(z.looseObject({ id: z.string(), status: z.string() }));
const VERDICTS: Record<string, Verdict> = {
  SUCCESS: 'passed',
  FAILURE: 'failed',
  WARNING: 'warned',
  SKIPPED: 'skipped',
  INFO: 'noted',
};
const SEVERITY: Verdict[] = ['noted', 'skipped', 'passed', 'warned', 'failed'];

/** A suite as it is installed, and which of its scenarios to run. */
export interface Suite {
  folder: string;
  /** Its own requirement set, such as `2026-07-28`; all active scenarios without it. */
  requirements?: string;
}

/** Runs the scenarios for servers against a URL. */
export function testServer(suite: Suite, url: string): Promise<Findings> {
  return run(suite, ['server', '--url', url], {});
}

/** Runs the scenarios for clients, with `command` as the client: it gets the URL of each scenario's server. */
export function testClient(suite: Suite, command: string, env: NodeJS.ProcessEnv): Promise<Findings> {
  const scenarios = suite.requirements === undefined ? ['--suite', 'all'] : [];
  // Its scenarios run all at once: on a busy computer that takes longer than the suite allows by itself.
  return run(suite, ['client', '--command', command, '--timeout', '120000', ...scenarios], env);
}

async function run({ folder, requirements }: Suite, args: string[], env: NodeJS.ProcessEnv): Promise<Findings> {
  const results = await mkdtemp(join(tmpdir(), 'causeway-conformance-results-'));
  const program = join(folder, 'node_modules/.bin/conformance');
  const which = requirements === undefined ? [] : ['--requirements', requirements];
  const child = spawn(program, [...args, ...which, '-o', results], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  await once(child, 'close');
  const findings = await read(results);
  await rm(results, { recursive: true });
  return findings;
}

async function read(results: string): Promise<Findings> {
  const findings: Findings = new Map();
  for await (const file of glob('**/checks.json', { cwd: results })) {
    // A folder is named for its scenario, with a prefix for servers and the time behind it.
    const folder = file.split(sep).slice(0, -1).join('/');
    const scenario = folder.replace(/^server-(?=.)/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    for (const { id, status } of Checks.parse(JSON.parse(await readFile(join(results, file), 'utf8')))) {
      const verdict = VERDICTS[status];
      if (verdict === undefined) continue;
      const key = `${scenario}:${id}`;
      const before = findings.get(key) ?? 'noted';
      findings.set(key, SEVERITY.indexOf(verdict) > SEVERITY.indexOf(before) ? verdict : before);
    }
  }
  return findings;
}
