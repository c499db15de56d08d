import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import manifest from '../../../package.json' with { type: 'json' };

const FOLDER = new URL('../../../.github/workflows/', import.meta.url);
const RUN = fileURLToPath(new URL('../../../.ci/run', import.meta.url));
const Workflow = z.object({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.object({ steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() })) }),
  ),
});

/** As far as ours go (GitHub Docs › Syntax for GitHub's form schema). */
const Label = z.strictObject({
  label: z.string(),
  description: z.string().optional(),
  placeholder: z.string().optional(),
});
const Required = z.strictObject({ required: z.boolean() }).optional();
const IssueForm = z.strictObject({
  name: z.string(),
  description: z.string(),
  labels: z.array(z.string()),
  body: z.array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: z.string() }) }),
      z.strictObject({ type: z.literal('input'), id: z.string(), attributes: Label, validations: Required }),
      z.strictObject({
        type: z.literal('textarea'),
        id: z.string(),
        attributes: Label.extend({ render: z.string().optional() }),
        validations: Required,
      }),
      z.strictObject({
        type: z.literal('dropdown'),
        id: z.string(),
        attributes: Label.extend({ options: z.array(z.string()) }),
        validations: Required,
      }),
    ]),
  ),
});

const workflows = await Promise.all(
  (await readdir(FOLDER)).map(async (name) => {
    const text = await readFile(new URL(name, FOLDER), 'utf8');
    return { text, ...Workflow.parse(parse(text)) };
  }),
);

test('the workflow pins each action to a commit, with the version beside it', () => {
  const used = workflows.flatMap(({ jobs }) => Object.values(jobs).flatMap(({ steps }) => steps));
  const actions = used.flatMap(({ uses }) => (uses === undefined ? [] : [uses]));
  expect(actions.length).toBeGreaterThan(0);
  expect(actions.filter((action) => !/^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
  const lines = workflows.flatMap(({ text }) => text.split('\n').filter((line) => line.includes('uses:')));
  expect(lines.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

test('the workflow can only read the repository unless a job says otherwise', () => {
  expect(workflows.map(({ permissions }) => permissions)).toEqual(workflows.map(() => ({ contents: 'read' })));
});

test('each issue form has what GitHub requires: a name, a description, fields with their own ids', async () => {
  const folder = new URL('../../../.github/ISSUE_TEMPLATE/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => name !== 'config.yml');
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    const form = IssueForm.parse(parse(await readFile(new URL(name, folder), 'utf8')), { reportInput: true });
    const ids = form.body.flatMap((field) => ('id' in field ? [field.id] : []));
    expect(new Set(ids).size).toBe(ids.length);
  }
});

describe('.ci/run', async () => {
  const lines = (await readFile(RUN, 'utf8')).split('\n');
  const code = lines.filter((line) => !line.trim().startsWith('#'));
  const named = code.filter((line) => line.startsWith("leave_out '")).join(' ');

  it('is what the workflow runs, and no other tests run in the workflow', () => {
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

  it.skipIf(process.platform === 'win32')(
    'says at the end what it has left out, and does not count it as passed',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'causeway-ci-'));
      await using _removed = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
      const programs = join(folder, 'programs');
      await mkdir(join(folder, 'project', '.ci'), { recursive: true });
      await mkdir(programs);
      await copyFile(RUN, join(folder, 'project', '.ci', 'run'));
      // Programs that do nothing, so that only the order of the steps is tried.
      for (const name of ['npm', 'npx', 'apt-get', 'chromium', 'openssl', 'xdotool']) {
        await writeFile(join(programs, name), '#!/bin/sh\n', { mode: 0o755 });
      }
      const env = { PATH: `${programs}:/usr/bin:/bin`, TMPDIR: folder };
      const { stdout } = await promisify(execFile)(join(folder, 'project', '.ci', 'run'), ['--here'], { env });
      const said = [...stdout.matchAll(/^left out: (.+)$/gm)].map(([, what]) => what);
      const end = stdout.slice(stdout.lastIndexOf('\n\n'));
      expect(said.length).toBeGreaterThan(3);
      expect([...end.matchAll(/^left out {2}(.+)$/gm)].map(([, what]) => what)).toEqual(said);
      expect(end).toMatch(/^ +\d+ s {2}npm test$/m);
      expect(end).not.toMatch(/^ +\d+ s {2}(keychain|desktop) tests$/m);
    },
  );
});
