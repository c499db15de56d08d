/**
 * The cost of giving out a token against the sign-in's present generation: 1,000 calls in a row, beside a source that gives out
 * what it has in memory without a look at anything. `node test/bench/sign-in.ts`
 */
import type { TokenSource } from '../../main/auth/auth.ts';
import { memoryTokenSource } from '../../main/auth/memory-tokens.ts';
import { openAuth } from '../../main/auth/open.ts';
import { SignInGeneration, signInFolder } from '../../main/auth/sign-in-generation.ts';
import { ownHome } from '../integration/auth/own-home.ts';
import { scriptedBrowser } from '../integration/auth/scripted-browser.ts';
import { startWorkspace } from '../workspace/workspace.ts';

const CALLS = 1_000;
const ROUNDS = 15;
/** What a call may cost, in microseconds. */
const TARGET = 20;

const workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
const home = await ownHome(`[user]\nhost = ${workspace.host}\n`);
const auth = openAuth({ env: home.env, openBrowser: scriptedBrowser().open });
try {
  const profile = await auth.profile('user');
  await auth.signIn(profile);
  const checked = auth.tokens(profile);
  const token = await checked.token();
  const access = { token, issuedAt: Date.now(), expiresAt: undefined };
  const unchecked = memoryTokenSource({
    profile: { name: 'bench', host: 'https://acme.example' },
    now: Date.now,
    chance: 0,
    acquire: async () => access,
  });
  const generation = new SignInGeneration(signInFolder(home.env, profile));
  const measured = { checked: [] as number[], unchecked: [] as number[], stat: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    measured.unchecked.push(await perCall(unchecked));
    measured.checked.push(await perCall(checked));
    measured.stat.push(perStat(generation));
  }
  const [with_, without, stat] = [measured.checked, measured.unchecked, measured.stat].map(median);
  console.log(
    `a token, checked: ${format(with_)}; from memory alone: ${format(without)}; the look at the generation: ${format(stat)}`,
  );
  console.log(`the check of one call: ${format(stat)}, ${(stat ?? TARGET) < TARGET ? 'met' : 'missed'}: ${TARGET} µs`);
} finally {
  await auth.close();
  await workspace.close();
  await home.remove();
}

async function perCall(source: TokenSource): Promise<number> {
  const begun = performance.now();
  for (let call = 0; call < CALLS; call += 1) await source.token();
  return ((performance.now() - begun) * 1_000) / CALLS;
}

function perStat(generation: SignInGeneration): number {
  const begun = performance.now();
  for (let call = 0; call < CALLS; call += 1) generation.stamp();
  return ((performance.now() - begun) * 1_000) / CALLS;
}

function median(values: number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function format(microseconds: number | undefined): string {
  return `${(microseconds ?? Number.NaN).toFixed(1)} µs`;
}
