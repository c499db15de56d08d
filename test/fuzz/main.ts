/**
 * `npm run fuzz`: random inputs against every property of this folder, and the counter-example if there is one.
 *
 *     npm run fuzz -- [--inputs 1000000] [--seed 1] [--path 12:3:0] [words of a title]
 *
 * The inputs are shared out among the properties. Without a seed, one is drawn; it is printed, so that a run can be
 * repeated. `CAUSEWAY_FUZZ_INPUTS` and `CAUSEWAY_FUZZ_SEED` say the same.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { allProperties } from './property.ts';

const { values, positionals } = parseArgs({
  options: { inputs: { type: 'string' }, seed: { type: 'string' }, path: { type: 'string' } },
  allowPositionals: true,
});
const total = wholeNumber('inputs', values.inputs ?? process.env.CAUSEWAY_FUZZ_INPUTS ?? '100000');
const seed = wholeNumber('seed', values.seed ?? process.env.CAUSEWAY_FUZZ_SEED ?? String(randomInt(2 ** 31)));
const wanted = positionals.join(' ').toLowerCase();
const chosen = (await allProperties()).filter(({ title }) => title.toLowerCase().includes(wanted));
if (chosen.length === 0) fail(`No property's title contains "${wanted}".`);

const weights = chosen.reduce((sum, { weight }) => sum + weight, 0);
const shares = chosen.map(({ weight }) => Math.ceil((total * weight) / weights));
let failures = 0;
let tried = 0;
console.log(`seed ${seed}, ${chosen.length} properties`);
for (const [index, property] of chosen.entries()) {
  const inputs = shares[index] ?? 0;
  const began = performance.now();
  const seeds = values.path === undefined ? [seed, ...property.seeds] : [seed];
  for (const each of seeds) {
    const run = { inputs: each === seed ? inputs : 1_000, seed: each };
    const failure = await property.run(values.path === undefined ? run : { ...run, path: values.path });
    if (failure === undefined) tried += run.inputs;
    else {
      failures += 1;
      console.log(`\nCOUNTER-EXAMPLE  ${property.title}\n${failure}\n`);
    }
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${String(inputs).padStart(9)} inputs  ${seconds.padStart(7)} s  ${property.title}`);
}
console.log(`${tried} inputs without a counter-example, ${failures} properties with one, seed ${seed}`);
process.exit(failures === 0 ? 0 : 1);

function wholeNumber(name: string, text: string): number {
  if (!/^-?\d{1,12}$/.test(text)) fail(`--${name} takes a whole number.`);
  return Number(text);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
