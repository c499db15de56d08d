import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runAcceptance } from '../../demo/acceptance/acceptance.ts';
import { openAccount } from '../../demo/account.ts';
import type { EmbeddedWorkspace } from '../../workspace/workspace.ts';

const DEMO = fileURLToPath(new URL('../../demo/main.ts', import.meta.url));
/** Some of the rows, with commands, a proxy and the wire; `npm run demo -- --acceptance` shows the whole specification. */
const SOME = 'override 4';
/** On a computer that is busy with other tests. */
const RUN_MS = 120_000;

const Row = z.looseObject({
  number: z.string(),
  verdict: z.enum(['pass', 'fail', 'not shown here']),
  reason: z.string().optional(),
  wire: z.array(z.object({ request: z.string() })).optional(),
});

describe('npm run demo -- --acceptance', () => {
  let folder: string;
  let page: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-acceptance-test-'));
    page = join(folder, 'page.html');
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function run(...args: string[]) {
    const demo = spawn(process.execPath, [DEMO, '--acceptance', '--json', '--no-window', '--page', page, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [out, [code]] = await Promise.all([text(demo.stdout), once(demo, 'exit')]);
    const lines: unknown[] = out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    const rows = lines.flatMap((line) => Row.safeParse(line).data ?? []);
    const passed = rows.filter(({ verdict }) => verdict === 'pass').map(({ number }) => number);
    const failed = rows.filter(({ verdict }) => verdict === 'fail').map(({ number, reason }) => `${number}: ${reason}`);
    return { code, lines, rows, passed, failed };
  }

  /** Runs rows on workspaces that are spoiled first. */
  async function spoiled(only: string, spoil: (workspace: EmbeddedWorkspace) => void): Promise<boolean> {
    const account = { ...openAccount({ json: true, stream: process.stdout }), verdict() {}, end() {}, note() {} };
    const { signal } = new AbortController();
    return runAcceptance(account, { page, only, window: false, buildWindow: async () => {}, signal, spoil });
  }

  it(
    'sentences that can be shown pass, with evidence from the wire and without a token',
    async () => {
      const { code, rows, failed, passed } = await run('--only', SOME);
      expect(failed).toEqual([]);
      expect(code).toBe(0);
      expect(passed.length).toBeGreaterThan(2);
      expect(new Set(rows.map(({ number }) => number)).size).toBe(rows.length);
      expect(rows.filter(({ wire }) => wire && wire.length > 0).length).toBeGreaterThan(2);
      const written = await readFile(page, 'utf8');
      for (const { number } of rows) expect(written).toContain(`${number} · `);
      expect(written).not.toMatch(/\bdapi[0-9a-f]{32}|\bdose[0-9a-f]{32}|Bearer [\w-]{20}|<script| src=/);
    },
    RUN_MS,
  );

  it.each([
    ['does nothing', ''],
    ['refuses everything', 'console.error("Error: only an admin may do this."); process.exit(1);'],
  ])(
    'no sentence passes with a command that %s',
    async (_, script) => {
      const command = join(folder, 'command.mjs');
      await writeFile(command, script);
      const { code, passed, failed } = await run('--only', SOME, '--command', command);
      expect(code).toBe(1);
      expect(passed).toEqual([]);
      expect(failed.length).toBeGreaterThan(2);
    },
    RUN_MS,
  );

  it('a workspace that forgets what it confirms fails the row of the stored override', async () => {
    const body = JSON.stringify({
      name: 'default-warehouse-overrides/1',
      default_warehouse_override_id: '1',
      type: 'CUSTOM',
    });
    const effect = { kind: 'answer', status: 200, headers: { 'content-type': 'application/json' }, body } as const;
    const path = '/api/warehouses/v1/default-warehouse-overrides/me';
    const forgets = ({ faults }: EmbeddedWorkspace) =>
      void faults.add({ path, method: 'PATCH', effect, times: 'always' });
    expect(await spoiled('override 1.1', forgets)).toBe(false);
    expect(await spoiled('override 1.1', () => {})).toBe(true);
  });

  it('a server that issues no session id fails the row of the session', async () => {
    const withoutSessions = ({ mcp }: EmbeddedWorkspace) => {
      mcp.settings.sessions = 'none';
    };
    expect(await spoiled('endpoints 3', withoutSessions)).toBe(false);
    expect(await spoiled('endpoints 3', () => {})).toBe(true);
  });

  it('a file that is no page of an earlier run is not written over', async () => {
    await writeFile(page, 'minutes of a meeting');
    const { code, lines } = await run('--only', 'override 10');
    expect(code).toBe(1);
    expect(JSON.stringify(lines)).toContain('is no page of an earlier run');
    expect(await readFile(page, 'utf8')).toBe('minutes of a meeting');
  });

  it('a number that no requirement has is refused', async () => {
    const { code, lines } = await run('--only', 'override 99');
    expect(code).toBe(1);
    expect(JSON.stringify(lines)).toContain('No requirement');
  });
});
