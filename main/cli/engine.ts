/**
 * How JavaScript is compiled in a process that stands beside an AI client, once for each of its servers. V8 takes memory
 * for speed by default; these processes are many, and wait most of the time.
 */
export async function tuneEngine(work: keyof typeof FLAGS): Promise<void> {
  // Loaded late: a relay's first frames do not wait for it.
  const { setFlagsFromString } = await import('node:v8');
  for (const flag of FLAGS[work]) setFlagsFromString(flag);
}

const FLAGS = {
  /**
   * A relay finds two members in each frame and passes it on. The quick compiler takes two thirds off what that costs and
   * little memory, as long as it copies no function into another; the thorough one would take 6 MiB more for nothing.
   */
  relay: ['--no-opt', '--no-maglev-inlining', '--semi-space-growth-factor=1'],
  bridge: [
    '--opt',
    '--maglev-inlining',
    // The HTTP parser as it is first compiled reads headers as fast; to do it again takes 23 MiB and a tenth of a second.
    '--no-wasm-tier-up',
    '--no-wasm-dynamic-tiering',
    // The young heap stays small: what lives longer than an answer is little.
    '--semi-space-growth-factor=1',
  ],
};
