/**
 * `npm run test:clients [-- [--dir DIR] [--all] [--long] [--case NAME] [CLIENT…]]`: real AI clients, installed from npm, use
 * entries that we wrote. `--all` adds the cases that are for the night, and `--long` has the long call take 200 s.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CASES, NEEDS_MODEL, NIGHTLY, type Result } from './cases.ts';
import { install } from './install.ts';
import { type CaseName, REAL_CLIENTS, type RealClient } from './real-clients.ts';

const { values, positionals } = parseArgs({
  options: {
    dir: { type: 'string' },
    all: { type: 'boolean' },
    long: { type: 'boolean', default: false },
    case: { type: 'string', multiple: true },
  },
  allowPositionals: true,
});
const names = Object.keys(CASES).filter((name): name is CaseName => name in CASES);
const cases = names.filter((name) => values.case?.includes(name) ?? (values.all || !NIGHTLY.includes(name)));
const named = ({ id, as }: RealClient) => positionals.includes(id) || positionals.includes(as ?? id);
const chosen = REAL_CLIENTS.filter((client) => positionals.length === 0 || named(client));
const unknown = positionals.filter((id) => !REAL_CLIENTS.some((client) => client.id === id || client.as === id));
if (unknown.length > 0 || cases.length === 0) {
  console.error(`There is no client or case of that name. Clients: ${REAL_CLIENTS.map(({ id }) => id).join(', ')}.`);
  console.error(`Cases: ${names.join(', ')}.`);
  process.exit(2);
}

/** How many clients are tried at the same time: they wait more than they work. */
const AT_ONCE = 3;

const scratch = await mkdtemp(join(tmpdir(), 'causeway-real-clients-'));
const packages = values.dir === undefined ? join(scratch, 'packages') : resolve(values.dir);
let failures = 0;
try {
  const left = names.filter((name) => !cases.includes(name));
  if (!values.case && left.length > 0) console.log(`Left out: ${left.join(', ')}. --all includes them.`);
  console.log(['client', 'version', ...cases].map(padded).join('  '));
  const waiting = [...chosen];
  const worker = async () => {
    for (let client = waiting.shift(); client; client = waiting.shift()) console.log(await line(client));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
} finally {
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = failures === 0 ? 0 : 1;

function padded(text: string, column: number): string {
  return text.padEnd([22, 22][column] ?? 24);
}

async function line(client: RealClient): Promise<string> {
  const folder = join(packages, client.id);
  const version = await install(folder, client.install);
  const cells: string[] = [];
  const name = client.as ?? client.id;
  const details: string[] = [];
  for (const each of cases) {
    const result: Result =
      version === undefined
        ? { state: 'failed', says: 'npm could not install it' }
        : await attempt(client, each, folder);
    if (result.state === 'failed') failures += 1;
    if (result.state !== 'passed') details.push(`  ${name}, ${each}: ${result.state}: ${result.says}`);
    cells.push(result.state === 'passed' ? result.says : result.state.toUpperCase());
  }
  if (client.withoutModel !== undefined) details.push(`  ${name}: without a model: ${client.withoutModel}`);
  const row = [name, version ?? '-', ...cells].map(padded).join('  ');
  return [row, ...details].join('\n');
}

async function attempt(client: RealClient, name: CaseName, packagesOfClient: string): Promise<Result> {
  // That it has none is seen by `row`.
  if (client.withoutModel !== undefined && NEEDS_MODEL.includes(name)) return notPossible(client.withoutModel);
  const known = client.notPossible?.[name];
  // A call that the client does not wait for is one that takes longer than that.
  if (known && name === 'long call' && !values.long) return notPossible(known.why);
  const home = await mkdtemp(join(scratch, `${client.id}-`));
  const result = await CASES[name](client, { home, packages: packagesOfClient, isLong: values.long });
  if (!known) return result;
  if (result.state === 'passed') return { state: 'failed', says: `it is possible now. The row says: ${known.why}` };
  if (known.seen.test(result.says)) return notPossible(known.why);
  return { state: 'failed', says: `${result.says} (the row says: ${known.why})` };
}

function notPossible(says: string): Result {
  return { state: 'not possible', says };
}
