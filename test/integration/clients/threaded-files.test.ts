import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ClientFiles, LocalFiles } from '../../../main/clients/files.ts';
import { CLIENTS } from '../../../main/clients/table.ts';
import { ThreadedFiles } from '../../../main/clients/threaded-files.ts';
import { CURSOR, GENIE, ownClients, SQL } from './own-clients.ts';

const PROGRAM = fileURLToPath(new URL('../../../main/clients/files-thread.ts', import.meta.url));

function threaded(options: { idleMs?: number; callTimeoutMs?: number } = {}): ThreadedFiles {
  return new ThreadedFiles({ program: PROGRAM, ...options });
}

const THEIRS: Record<string, string> = {
  [CURSOR]: '{\n  // mine\n  "mcpServers": {\n    "files": { "command": "npx" }\n  }\n}\n',
  '.codex/config.toml': 'model = "x"\n\n[mcp_servers.files]\ncommand = "npx"\n',
  '.config/goose/config.yaml': 'extensions:\n  files:\n    cmd: npx\n',
  '.config/opencode/opencode.json': '{ "mcp": { "theirs": { "type": "local", "command": ["npx"] } } }',
};

/** What a session of changes leaves and reports, without the names of backups. */
async function session(files: ClientFiles): Promise<string> {
  await using own = await ownClients();
  for (const [path, text] of Object.entries(THEIRS)) await own.file(path, text);
  // An administrator's decision, which is read there, too.
  const managed = join(own.root, 'etc/claude-code/managed-settings.json');
  await mkdir(dirname(managed), { recursive: true });
  await writeFile(managed, '{"deniedMcpServers": [{"serverName": "genie-7191"}]}');
  await own.file('.claude.json', '{}');
  const service = own.service({ files });
  const steps = [
    await service.survey([SQL, GENIE]),
    await service.add([], [SQL, GENIE]),
    await own.everything(),
    await service.survey([SQL, GENIE]),
    await service.repair([], [SQL, GENIE]),
    await service.remove([], [SQL.name], { dryRun: true }),
    await service.remove([], [SQL.name, GENIE.name]),
  ];
  for (const [path, text] of Object.entries(THEIRS)) expect(await own.read(path)).toBe(text);
  expect(JSON.stringify(steps)).toContain(`${managed} denies Claude Code this server`);
  return JSON.stringify(steps)
    .replaceAll(own.home.slice(0, -'/home'.length), '')
    .replaceAll(/"backup":"[^"]+"|\d{13}\.?\d*/g, '');
}

test('a thread of its own does to the files of clients what this one does', async () => {
  expect(await session(threaded())).toBe(await session(new LocalFiles()));
});

describe('a thread', () => {
  const [cursor] = CLIENTS.filter(({ id }) => id === 'cursor');
  if (!cursor) throw new Error('There is no Cursor.');

  test('keeps this one free while it reads a large file', async () => {
    await using own = await ownClients();
    const path = await own.file(CURSOR, JSON.stringify({ x: Array.from({ length: 2_000_000 }, (_, at) => `${at}`) }));
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    const { entries } = await threaded().read(cursor, { path });
    isDone = true;
    expect(entries.size).toBe(0);
    expect(turns).toBeGreaterThan(100);
  });

  test('reports an error with its code and what to do', async () => {
    await using own = await ownClients();
    const path = await own.file(CURSOR, '{"mcpServers": [}');
    await expect(threaded().read(cursor, { path })).rejects.toMatchObject({
      code: 'invalid_file',
      message: `${path}, line 1, column 17: this is not valid JSON: value expected.`,
      remedy: expect.stringContaining('Correct the file there in a text editor'),
    });
  });

  test('that works for too long is ended, and the next call has a new one', async () => {
    await using own = await ownClients();
    const path = await own.file(CURSOR, '{}');
    const files = threaded({ callTimeoutMs: 1 });
    await expect(files.read(cursor, { path })).rejects.toThrow('could not be worked on: it took longer than');
    expect(files.isRunning).toBe(false);
    await expect(threaded().read(cursor, { path })).resolves.toMatchObject({ exists: true });
  });

  test('that cannot run is an error of each call', async () => {
    await using own = await ownClients();
    const files = new ThreadedFiles({ program: `${own.home}/nothing.js` });
    await expect(files.read(cursor, { path: `${own.home}/x` })).rejects.toMatchObject({ code: 'internal' });
    expect(files.isRunning).toBe(false);
  });

  test('ends when it is not needed any more, and not between a plan and its writing', async () => {
    await using own = await ownClients();
    const file = { path: await own.file(CURSOR, '{}') };
    const files = threaded({ idleMs: 1 });
    onTestFinished(() => files.forget(file));
    const wanted = new Map([['x', { fixed: { command: own.command } }]]);
    await files.plan(cursor, file, wanted, { known: undefined, keeps: true });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await files.write(file, false)).toBe(true);
    await files.forget(file);
    await expect.poll(() => files.isRunning).toBe(false);
    expect(JSON.parse(await own.read(CURSOR))).toEqual({ mcpServers: { x: { command: own.command } } });
  });
});
