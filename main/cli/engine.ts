/**
 * How JavaScript is compiled in a process that is beside an AI client, once for each of its servers. V8 takes memory
 * for speed by default; these processes are many, and wait most of the time.
 */
export async function tuneEngine(work: keyof typeof FLAGS): Promise<void> {
  // Loaded late: a relay's first frames do not wait for it.
  const { getHeapSpaceStatistics, setFlagsFromString } = await import('node:v8');
  for (const flag of FLAGS[work]) setFlagsFromString(flag);
  if (work !== 'bridge') return;
  // An upper limit is taken by V8 only when it starts, and it starts with the least.
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (young && young.space_size < YOUNG_HEAP_BYTES) return;
    setFlagsFromString(YOUNG_HEAP_STAYS);
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

const YOUNG_HEAP_STAYS = '--semi-space-growth-factor=1';

/** V8 reports an unknown flag on stderr. */
const V8_MAJOR = Number.parseInt(process.versions.v8, 10);

const FLAGS = {
  /**
   * A relay finds two members in each frame and passes it on. The quick compiler takes two thirds off what that costs and
   * little memory, as long as it copies no function into another; the thorough one would take 6 MiB more for nothing.
   */
  relay: ['--no-opt', '--no-maglev-inlining', YOUNG_HEAP_STAYS],
  bridge: [
    // The thorough compiler takes the processor from the calls for seconds, and gives nothing back.
    '--no-opt',
    '--maglev-inlining',
    // Most clients make few calls, so the code for calls is compiled after the first hundred instead of after thousands.
    '--invocation-count-for-maglev=100',
    '--minimum-invocations-after-ic-update=50',
    // What a compilation took up is given back by the thread that it is for: left to others it stays allocated, some 10 MiB.
    ...(V8_MAJOR >= 13 ? ['--no-maglev-destroy-on-background'] : []),
    // The HTTP parser as first compiled reads headers just as fast. Compiling it again takes 23 MiB and a tenth of a second.
    '--no-wasm-tier-up',
    '--no-wasm-dynamic-tiering',
    // Of the calls under way many outlive two collections of the young heap, the more the slower the processor is. Without this, the
    // old heap grows to 35 MiB of such garbage before it is collected for the first time.
    '--heap-growing-percent=30',
    // There is little garbage: waking other threads costs more than collecting it.
    '--no-parallel-scavenge',
    '--semi-space-growth-factor=2',
  ],
};

/** Where the young heap stops growing, in bytes: smaller, it takes calls under way for things that live long. */
const YOUNG_HEAP_BYTES = 4 * 1024 * 1024;
