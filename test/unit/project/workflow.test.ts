import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const FOLDER = new URL('../../../.github/workflows/', import.meta.url);
const Workflow = z.object({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(z.string(), z.object({ steps: z.array(z.object({ uses: z.string().optional() })) })),
});

const workflows = await Promise.all(
  (await readdir(FOLDER)).map(async (name) => {
    const text = await readFile(new URL(name, FOLDER), 'utf8');
    return { text, ...Workflow.parse(parse(text)) };
  }),
);

test('the workflow names each action by its commit, with the version beside it', () => {
  const used = workflows.flatMap(({ jobs }) => Object.values(jobs).flatMap(({ steps }) => steps));
  const actions = used.flatMap(({ uses }) => (uses === undefined ? [] : [uses]));
  expect(actions.length).toBeGreaterThan(0);
  expect(actions.filter((action) => !/^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
  const lines = workflows.flatMap(({ text }) => text.split('\n').filter((line) => line.includes('uses:')));
  expect(lines.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

test('the workflow may only read the repository where a job does not say otherwise', () => {
  expect(workflows.map(({ permissions }) => permissions)).toEqual(workflows.map(() => ({ contents: 'read' })));
});
