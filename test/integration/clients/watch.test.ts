import { writeFileSync } from 'node:fs';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { watchFiles } from '../../../main/clients/watch.ts';
import { type OwnClients, ownClients, SQL } from './own-clients.ts';

const CURSOR = '.cursor/mcp.json';

/** Counts the calls, once the watch is at work. */
async function watched(own: OwnClients, command = own.command): Promise<{ calls: number; end: () => void }> {
  const seen = { calls: 0, end: () => {} };
  const watching = own.service({ command }).watch(() => {
    seen.calls += 1;
  });
  seen.end = () => watching.end();
  onTestFinished(() => seen.end());
  // A file that changes until it is noticed shows that everything is in place.
  for (let round = 0; seen.calls === 0; round += 1) {
    await own.file('.codex/config.toml', `# ${'x'.repeat(round)}`);
    await sleep(100);
  }
  await settled(seen);
  return seen;
}

async function noticed(seen: { calls: number }): Promise<void> {
  await expect.poll(() => seen.calls).toBeGreaterThan(0);
}

/** Waits until no more calls come of what was done before. */
async function settled(seen: { calls: number }): Promise<void> {
  for (let before = -1; before !== seen.calls; ) {
    before = seen.calls;
    await sleep(250);
  }
  seen.calls = 0;
}

const stateOf = async (own: OwnClients, command = own.command) => {
  const reports = await own.service({ command }).survey([SQL]);
  return reports.find(({ id }) => id === 'cursor')?.files[0]?.entries['databricks-sql'];
};

test('an entry that disappeared, came back and was changed is noticed each time', async () => {
  await using own = await ownClients();
  const path = await own.file(CURSOR, '{}');
  await own.service().add(['cursor'], [SQL]);
  const written = await own.read(CURSOR);
  const seen = await watched(own);
  const replace = async (text: string) => {
    // As an editor does it: a new file instead of the old one.
    await writeFile(`${path}.swp`, text);
    await rename(`${path}.swp`, path);
  };
  await replace('{}');
  await noticed(seen);
  expect(await stateOf(own)).toBe('vanished');
  await settled(seen);
  await replace(written.replace('/api/2.0/mcp/sql', '/api/2.0/mcp/other'));
  await noticed(seen);
  expect(await stateOf(own)).toBe('edited');
  await settled(seen);
  await own.service().repair(['cursor'], [SQL]);
  await noticed(seen);
  expect(await stateOf(own)).toBe('current');
});

test('a client whose folders are created one after another is noticed, and so is its removal', async () => {
  await using own = await ownClients();
  const seen = await watched(own);
  await mkdir(join(own.home, '.config'));
  await settled(seen);
  await own.file('.config/Code/User/mcp.json', '{}');
  await noticed(seen);
  await settled(seen);
  await writeFile(join(own.home, '.config/Code/User/mcp.json'), '{ "servers": {} }');
  await noticed(seen);
  await settled(seen);
  await rm(join(own.home, '.config'), { recursive: true });
  await noticed(seen);
});

test('a Flatpak application that is installed is noticed', async () => {
  await using own = await ownClients();
  await mkdir(join(own.home, '.var', 'app'), { recursive: true });
  const seen = await watched(own);
  await own.file('.var/app/com.example.Code/config/Code/User/settings.json', '{}');
  await noticed(seen);
});

test('a file behind a symbolic link, and an executable that disappears, are noticed', async () => {
  await using own = await ownClients();
  const target = await own.file('dotfiles/cursor.json', '{}');
  await mkdir(join(own.home, '.cursor'));
  await symlink(target, join(own.home, CURSOR));
  const program = await own.file('programs/causeway', '#!/bin/sh\n', 0o755);
  await own.service({ command: program }).add(['cursor'], [SQL]);
  const seen = await watched(own, program);
  await writeFile(target, '{ "mcpServers": {} }');
  await noticed(seen);
  await own.service({ command: program }).repair(['cursor'], [SQL]);
  await settled(seen);
  await rm(dirname(program), { recursive: true });
  await noticed(seen);
  expect(await stateOf(own, program)).toBe('broken');
});

test('a change next to the files is not reported, and nothing is reported after the end', async () => {
  await using own = await ownClients();
  await own.file(CURSOR, '{}');
  const seen = await watched(own);
  await own.file('.cursor/other.json', '{}');
  await own.file('notes.txt', 'mine');
  await chmod(join(own.home, CURSOR), 0o600);
  await settled(seen);
  await own.file('.cursor/third.json', '{}');
  await sleep(250);
  expect(seen.calls).toBe(0);
  seen.end();
  await own.file(CURSOR, '{ "theirs": 1 }');
  await sleep(250);
  expect(seen.calls).toBe(0);
});

test('a regular check finds a change that the system does not report', async () => {
  await using own = await ownClients();
  const path = await own.file('quiet.json', '{}');
  const seen = { calls: 0 };
  // Nothing above its own folder may be watched, and that is not there: no report can come.
  const elsewhere = join(own.home, 'not-there', 'file.json');
  const paths = async () => [elsewhere];
  const root = join(own.home, 'not-there');
  const tell = () => {
    seen.calls += 1;
  };
  const { end } = watchFiles(paths, tell, { root, quietMs: 10, lookMs: 50 });
  onTestFinished(end);
  await sleep(120);
  await mkdir(root);
  await rename(path, elsewhere);
  await noticed(seen);
});

test('a change by the watching program itself is not reported once it is complete, and the next change is', async () => {
  await using own = await ownClients();
  const path = await own.file(CURSOR, '{}');
  let calls = 0;
  const service = own.service();
  const watching = service.watch(() => {
    calls += 1;
  });
  onTestFinished(() => watching.end());
  for (let round = 0; calls === 0; round += 1) {
    await own.file('.codex/config.toml', `# ${'x'.repeat(round)}`);
    await sleep(100);
  }
  await expect
    .poll(async () => {
      const before = calls;
      await sleep(400);
      return calls - before;
    })
    .toBe(0);
  calls = 0;
  await service.add(['cursor'], [SQL]);
  await watching.settle();
  // Where the change itself takes long, it may be seen before it is complete.
  await sleep(200);
  const before = calls;
  await sleep(1000);
  expect(calls).toBe(before);
  await writeFile(path, '{}');
  await expect.poll(() => calls).toBeGreaterThan(before);
});

test('a change that is known before the system reports it is not reported', async () => {
  await using own = await ownClients();
  const path = await own.file('folder/list.json', '{}');
  let calls = 0;
  const onChange = () => {
    calls += 1;
  };
  const watching = watchFiles(async () => [path], onChange, { root: own.home, quietMs: 50 });
  onTestFinished(() => watching.end());
  await watching.ready;
  // The watch that has begun looks once more.
  await sleep(300);
  // No event of the system comes in between.
  writeFileSync(path, '{"ours": true}');
  await watching.settle();
  await sleep(500);
  expect(calls).toBe(0);
  writeFileSync(path, '{"theirs": true}');
  await expect.poll(() => calls).toBe(1);
});

test('a change right after the watch has begun is reported', async () => {
  await using own = await ownClients();
  const path = await own.file('folder/list.json', '{}');
  for (let round = 0; round < 20; round += 1) {
    let calls = 0;
    const watching = watchFiles(
      async () => [path],
      () => {
        calls += 1;
      },
      { root: own.home, quietMs: 10 },
    );
    await watching.ready;
    await writeFile(path, '{}'.padEnd(round + 3));
    await expect.poll(() => calls).toBeGreaterThan(0);
    watching.end();
  }
});
