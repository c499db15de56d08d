import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { NOT_OURS } from './known-misses.ts';

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
  const { requirements } = suite;
  const which = requirements === undefined ? [] : ['--requirements', requirements];
  return results(suite, ['server', '--url', url, ...which], {});
}

/**
 * Runs the scenarios for clients, with `command` as the client: it gets the URL of each scenario's server. By itself the suite
 * runs all of them at once, dozens of clients and proxies whose answers then come as late as the computer is slow.
 */
export async function testClient(suite: Suite, command: string, env: NodeJS.ProcessEnv): Promise<Findings> {
  const version = suite.requirements === undefined ? [] : ['--spec-version', suite.requirements];
  const findings: Findings = new Map();
  for (const scenario of await clientScenarios(suite)) {
    const args = ['client', '--scenario', scenario, '--command', command, '--timeout', '120000', ...version];
    for (const [check, verdict] of await results(suite, args, env)) findings.set(check, verdict);
  }
  return findings;
}

/** The scenarios for clients that the suite lists, without those that say nothing about a proxy. */
async function clientScenarios({ folder, requirements }: Suite): Promise<string[]> {
  const which = requirements === undefined ? [] : ['--requirements', requirements];
  const { stdout } = await promisify(execFile)(programOf(folder), ['list', '--client', ...which]);
  const [, required = ''] = stdout.split(/^Client scenarios.*$/m);
  const [own = '', ...reported] = required.split(/^Run and reported.*$/m);
  const names = [
    ...Array.from(own.matchAll(/^ +- (\S+)/gm), ([, name = '']) => name),
    ...Array.from(reported.join('').matchAll(/^ +- (\S+) \[client\]/gm), ([, name = '']) => name),
  ];
  const ours = names.filter((name) => !NOT_OURS.some(([scenario]) => name.startsWith(scenario)));
  if (ours.length === 0) throw new Error(`The suite lists no scenario for clients:\n${stdout}`);
  return ours;
}

const programOf = (folder: string) => join(folder, 'node_modules/.bin/conformance');

/** What the suite finds when it is run with these arguments. */
async function results({ folder }: Suite, args: string[], env: NodeJS.ProcessEnv): Promise<Findings> {
  const output = await mkdtemp(join(tmpdir(), 'causeway-conformance-results-'));
  const child = spawn(programOf(folder), [...args, '-o', output], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  await once(child, 'close');
  const findings = await read(output);
  await rm(output, { recursive: true });
  return findings;
}

async function read(output: string): Promise<Findings> {
  const findings: Findings = new Map();
  for await (const file of glob('**/checks.json', { cwd: output })) {
    // A folder is named for its scenario, with a prefix for servers and the time behind it.
    const folder = file.split(sep).slice(0, -1).join('/');
    const scenario = folder.replace(/^server-(?=.)/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    for (const { id, status } of Checks.parse(JSON.parse(await readFile(join(output, file), 'utf8')))) {
      const verdict = VERDICTS[status];
      if (verdict === undefined) continue;
      const key = `${scenario}:${id}`;
      const before = findings.get(key) ?? 'noted';
      findings.set(key, SEVERITY.indexOf(verdict) > SEVERITY.indexOf(before) ? verdict : before);
    }
  }
  return findings;
}
