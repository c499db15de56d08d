/**
 * `npm run test:clients [-- [--dir DIR] [--long] [--case NAME] [CLIENT…]]`: real AI clients, installed from npm, use
 * entries that we wrote. `--long` adds the call of 75 s.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CASES, type Result } from './cases.ts';
import { install } from './install.ts';
import { type CaseName, REAL_CLIENTS, type RealClient } from './real-clients.ts';

const { values, positionals } = parseArgs({
  options: { dir: { type: 'string' }, long: { type: 'boolean' }, case: { type: 'string', multiple: true } },
  allowPositionals: true,
});
const names = Object.keys(CASES).filter((name): name is CaseName => name in CASES);
const cases = names.filter((name) => values.case?.includes(name) ?? (values.long || name !== 'call of 75 s'));
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
  if (!cases.includes('call of 75 s')) console.log('Left out: the call of 75 s. --long includes it.');
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
      client.notPossible?.[each] !== undefined
        ? { state: 'not possible', says: client.notPossible[each] }
        : version === undefined
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
  const home = await mkdtemp(join(scratch, `${client.id}-`));
  return CASES[name](client, { home, packages: packagesOfClient });
}
