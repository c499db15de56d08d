/**
 * `npm run conformance`: the scenarios of @modelcontextprotocol/conformance for servers and for clients, in its current
 * release and for revision 2026-07-28, once directly and once with `causeway proxy` in between. Ends with 1 where the
 * proxy makes a difference that known-misses.ts does not explain, or where that explains what does not happen anymore.
 */
import { rm } from 'node:fs/promises';
import { tourEverything } from './everything-tour.ts';
import { install } from './install.ts';
import { KNOWN_MISSES, NOT_OURS } from './known-misses.ts';
import { plan, type Run, TASKS } from './runs.ts';
import type { Findings, Verdict } from './suite.ts';

const [given, only = ''] = process.argv.slice(2);
const { root, folders } = await install(given);
const baselines = new Map<string, Findings>();
const explained = new Map<string, string[]>();
const directly = new Map<string, string[]>();
const faults: string[] = [];
const FAILING: Verdict[] = ['failed', 'warned'];

function count(findings: Findings, ...verdicts: Verdict[]): number {
  return [...findings.values()].filter((verdict) => verdicts.includes(verdict)).length;
}

/** What is compared. Extensions are compared with a server that has them only. */
function ours(findings: Findings, part: Run['part']): Findings {
  const isOurs = (check: string) => !NOT_OURS.some(([scenario]) => check.startsWith(scenario));
  return new Map([...findings].filter(([check]) => check.startsWith(TASKS) === (part === TASKS) && isOurs(check)));
}

/** A line of the table: a name, and figures under their heads. */
function line(name: string, figures: (string | number)[]): void {
  console.log(`${name.padEnd(62)}${figures.map((figure) => String(figure).padStart(18)).join('')}`);
}

line('checks passed', ['directly', 'through causeway', 'worse', 'fail directly too', 'SKIPPED', 'INFO']);
for (const run of plan(folders).filter(({ name }) => name.includes(only))) {
  const direct = baselines.get(run.baseline) ?? ours(await run.direct(), run.part);
  baselines.set(run.baseline, direct);
  const through = ours(await run.through(), run.part);
  const worse = [...direct].filter(([check, verdict]) => verdict === 'passed' && through.get(check) !== 'passed');
  const failing = [...direct].flatMap(([check, verdict]) => (FAILING.includes(verdict) ? [check] : []));
  const passed = `${count(direct, 'passed')} of ${count(direct, 'passed', ...FAILING)}`;
  const both = (verdict: Verdict) => `${count(direct, verdict)}, ${count(through, verdict)}`;
  line(run.name, [passed, count(through, 'passed'), worse.length, failing.length, both('skipped'), both('noted')]);
  if (failing.length > 0) directly.set(run.baseline, failing);
  if (count(direct, 'passed') === 0) faults.push(`${run.name}: nothing ran`);
  for (const [check] of worse) {
    const why = KNOWN_MISSES.find(([name, known]) => run.name.startsWith(name) && check.startsWith(known))?.[2];
    const miss = `${run.name} › ${check} ${through.get(check) ?? 'did not run'}`;
    if (why === undefined) faults.push(`not explained: ${miss}`);
    else explained.set(why, [...(explained.get(why) ?? []), miss]);
  }
}

if ('server-everything behind'.includes(only)) faults.push(...(await tourEverything(folders.everything)));

for (const [why, misses] of explained) console.log(`\n${why}\n${misses.map((miss) => `  ${miss}`).join('\n')}`);
for (const [baseline, checks] of directly) {
  console.log(`\nThe other side's own, without the proxy too (${baseline}):\n  ${checks.join('\n  ')}`);
}
for (const [scenario, why] of NOT_OURS) console.log(`\n${why}\n  not compared: ${scenario}…`);
for (const [, check, why] of KNOWN_MISSES) {
  if (only === '' && !explained.has(why)) faults.push(`explained, but it does not happen: ${check}`);
}
for (const fault of faults) console.log(`\n${fault}`);
if (given === undefined) await rm(root, { recursive: true });
process.exitCode = faults.length === 0 ? 0 : 1;
