import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import manifest from '../../../package.json' with { type: 'json' };

const FOLDER = new URL('../../../.github/workflows/', import.meta.url);
const Workflow = z.object({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.object({ steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() })) }),
  ),
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

describe('.ci/run', async () => {
  const lines = (await readFile(new URL('../../../.ci/run', import.meta.url), 'utf8')).split('\n');
  const code = lines.filter((line) => !line.trim().startsWith('#'));
  const named = code.filter((line) => line.startsWith("leave_out '")).join(' ');

  it('is what the workflow runs, and nothing else of what tests', () => {
    const commands = workflows.flatMap(({ jobs }) => jobs.test?.steps.flatMap(({ run }) => run ?? []) ?? []);
    expect(commands).toEqual(['.ci/run --here', 'npm run package']);
  });

  it('runs each script that tests something, or says that it does not', () => {
    const checks = Object.keys(manifest.scripts).filter((name) =>
      /^(check|build|demo|bench|fuzz|soak|conformance|test)(:|$)/.test(name),
    );
    const runs = code.filter((line) => !line.includes('leave_out')).join('\n');
    const forgotten = checks.filter((name) => {
      const runsIt = new RegExp(`(npm run |npm |in_desktop )${name}(?![\\w:-])`).test(runs);
      return !runsIt && !new RegExp(`(^|[ '])${name}[,:']`).test(named);
    });
    // The command's build is the first thing that `npm test` does.
    expect(forgotten).toEqual(['build:cli']);
  });

  it('says at the end what it has left out', () => {
    const silent = lines.flatMap((line, at) => {
      const before = lines.slice(Math.max(0, at - 2), at).join('\n');
      return line.trim() === 'return 0' && !before.includes('leave_out') ? [at + 1] : [];
    });
    expect(silent).toEqual([]);
    expect(lines.filter((line) => line.includes('left_out[@]'))).toHaveLength(1);
    expect(code.filter(Boolean).at(-1)).toBe('report');
  });
});
