import { setFlagsFromString } from 'node:v8';

/**
 * How JavaScript is compiled in a process that stands beside an AI client, once for each of its servers. V8 takes memory
 * for speed by default; these processes are many, and wait most of the time.
 */
export function tuneEngine(work: keyof typeof FLAGS): void {
  for (const flag of FLAGS[work]) setFlagsFromString(flag);
}

const FLAGS = {
  /** A relay finds two members in each frame and passes it on: its optimised code would be smaller than its compilers. */
  relay: ['--no-opt', '--no-maglev'],
  bridge: [
    '--opt',
    // The HTTP parser as it is first compiled reads headers as fast; to do it again takes 23 MiB and a tenth of a second.
    '--no-wasm-tier-up',
    '--no-wasm-dynamic-tiering',
    // The young heap stays small: what lives longer than an answer is little.
    '--semi-space-growth-factor=1',
  ],
};
