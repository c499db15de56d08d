import type { Reporter, TestModule } from 'vitest/node';

let isFiltered = false;

/** Names at the end of a run what it has skipped: a suite that could not run here must not look like one that passed. */
export const skippedTests: Reporter = {
  onInit({ config }) {
    isFiltered = config.testNamePattern !== undefined;
  },
  onTestRunEnd(modules) {
    // Who asks for some tests by name has left out the others.
    if (isFiltered) return;
    const lines = modules.flatMap(linesOf);
    if (lines.length > 0) console.log(['Left out here:', ...lines].join('\n'));
  },
};

/** A line for each suite or test of a file that was skipped, the outermost alone. */
function linesOf({ relativeModuleId, children }: TestModule): string[] {
  const skipped = [...children.allTests('skipped')].filter(({ options }) => options.mode !== 'run');
  const names = skipped.map((test) => {
    let outermost = test.name;
    for (let at = test.parent; at.type === 'suite'; at = at.parent) {
      if ([...at.children.allTests()].every((each) => each.result().state === 'skipped')) outermost = at.name;
    }
    return outermost;
  });
  return [...new Set(names)].map((name) => `  ${relativeModuleId} › ${name}`);
}
