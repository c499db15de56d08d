import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SCENARIOS } from './table.ts';

const FOLDER = new URL('../../', import.meta.url);

describe.each(Object.entries(SCENARIOS))('%s', (_name, scenarios) => {
  it.each(scenarios.map(({ demand, proofs }) => [demand, proofs] as const))('%s', (_demand, proofs) => {
    expect(proofs).not.toHaveLength(0);
    for (const [file, title] of proofs) {
      const text = readFileSync(fileURLToPath(new URL(file, FOLDER)), 'utf8').replaceAll("\\'", "'");
      expect(text, file).toContain(title);
    }
  });
});
