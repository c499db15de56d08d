import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, watch, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { COMPILED } from '../../compiled.ts';
import { GENIE, ownClients, SQL } from './own-clients.ts';

const WRITER = fileURLToPath(new URL('writer.ts', import.meta.url));
const KILLS = Number(process.env.CAUSEWAY_KILLS ?? 10);
const CURSOR = '.cursor/mcp.json';

test(`killed ${KILLS} times while it writes: the file is the complete old or new one`, {
  timeout: KILLS * 15_000,
}, async () => {
  await using own = await ownClients();
  // Large enough that writing takes a while.
  const old = `{\n  "mcpServers": {},\n  "theirs": ${JSON.stringify('x'.repeat(2_000_000))}\n}\n`;
  const path = await own.file(CURSOR, old);
  await own.service().add([], [SQL]);
  const added = await own.read(CURSOR);
  const found = { old: 0, added: 0, leftOver: 0 };
  for (let kill = 0; kill < KILLS; kill += 1) {
    const writer = spawn(process.execPath, [...COMPILED, WRITER, own.home, own.command], { env: own.env });
    await once(writer.stdout, 'data');
    // Every other one strikes while the new file is being written, the rest anywhere.
    await (kill % 2 === 0 ? writingBegun(join(own.home, '.cursor')) : sleep(Math.random() * 60));
    writer.kill('SIGKILL');
    await once(writer, 'close');
    const now = await own.read(CURSOR);
    expect(now === old || now === added).toBe(true);
    found[now === old ? 'old' : 'added'] += 1;
    if ((await readdir(join(own.home, '.cursor'))).length > 1) found.leftOver += 1;
  }
  // The kills struck at different moments, some of them with the new file half written.
  expect(found.old).toBeGreaterThan(0);
  expect(found.added).toBeGreaterThan(0);
  expect(found.leftOver).toBeGreaterThan(0);
  await own.service().add([], [SQL]);
  await own.service().remove([], [SQL.name]);
  expect(await own.read(CURSOR)).toBe(old);
  expect(await readdir(join(path, '..'))).toEqual(['mcp.json']);
});

test.skipIf(process.platform === 'win32')(
  'a disk that fills up during a write leaves the original complete',
  async () => {
    await using own = await ownClients();
    const old = `{"mcpServers":{},"theirs":${JSON.stringify('x'.repeat(600_000))}}`;
    await own.file(CURSOR, old);
    // With its backup made, what is cut short is the file itself.
    await own.service().add([], [GENIE]);
    const before = await own.read(CURSOR);
    // The system lets this process write files of up to 256 KB: its writes are cut short there, as on a full disk.
    const script = `ulimit -f 512; exec "$0" "$@"`;
    const run = promisify(execFile)('/bin/sh', ['-c', script, process.execPath, WRITER, own.home, own.command, '1'], {
      env: own.env,
    });
    const { stderr } = await run;
    expect(stderr).toMatch(/^file_not_writable: .*Free up some space/);
    expect(await own.read(CURSOR)).toBe(before);
    expect(await readdir(join(own.home, '.cursor'))).toEqual(['mcp.json']);
  },
);

test('ten processes at once write every entry, and none twice', { timeout: 180_000 }, async () => {
  await using own = await ownClients();
  await own.file(CURSOR, '{"theirs": 1}');
  await writeFile(join(own.home, '.claude.json'), '{"theirs": 1}');
  const runs = Array.from({ length: 11 }, () =>
    promisify(execFile)(process.execPath, [...COMPILED, WRITER, own.home, own.command, '1'], { env: own.env }),
  );
  for (const { stderr } of await Promise.all(runs)) expect(stderr).toBe('');
  await own.service().add([], [SQL]);
  for (const file of [CURSOR, '.claude.json']) {
    expect(JSON.parse(await own.read(file))).toMatchObject({ theirs: 1, mcpServers: { 'databricks-sql': {} } });
  }
});

async function writingBegun(folder: string): Promise<void> {
  for await (const { filename } of watch(folder)) if (filename?.endsWith('.tmp')) return;
}
