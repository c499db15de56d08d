import { describe, expect, test } from 'vitest';
import { allProperties } from './property.ts';

/** The inputs of a short run; `npm run fuzz` tries as many as one likes. */
const INPUTS = 200;
/** Always the same, so that a failure is the change's fault and not the day's. */
const SEED = 1;

describe('for random inputs', { timeout: 120_000 }, async () => {
  for (const property of await allProperties()) {
    test(property.title, async () => {
      const inputs = Math.max(10, Math.round(INPUTS * Math.min(1, property.weight)));
      for (const seed of [SEED, ...property.seeds]) expect(await property.run({ inputs, seed })).toBeUndefined();
    });
  }
});
