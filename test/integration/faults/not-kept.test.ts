import { appendFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AuthEvent } from '../../../main/auth/auth.ts';
import { scriptedBrowser } from '../auth/scripted-browser.ts';
import { ownerOf, setStage } from '../auth/stage.ts';
import { NO_SMALL_DISK, type SmallDisk, smallDisk } from './small-disk.ts';

const HOUR = 60 * 60_000;
const stage = setStage();
let disk: SmallDisk;
let clock: number;

describe.skipIf(NO_SMALL_DISK)(`a sign-in on a disk that is full${NO_SMALL_DISK ? ` (${NO_SMALL_DISK})` : ''}`, () => {
  beforeEach(async () => {
    clock = Date.now();
    disk = await smallDisk();
    stage.home.env.CAUSEWAY_HOME = join(disk.folder, 'causeway');
    await mkdir(stage.home.env.CAUSEWAY_HOME);
  });
  afterEach(() => disk[Symbol.asyncDispose]());

  const open = () => {
    const notices: string[] = [];
    const events: AuthEvent[] = [];
    const auth = stage.open({
      now: () => clock,
      openBrowser: scriptedBrowser().open,
      onNotice: (message) => notices.push(message),
    });
    auth.subscribe((event) => events.push(event));
    return { auth, notices, events };
  };
  const stored = async () => {
    const folder = join(disk.folder, 'causeway', 'state', 'tokens');
    const names = await readdir(folder);
    return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  };

  test('is renewed and used, the old one stays complete, the user is notified once, and it is stored when there is space', async () => {
    const { auth, notices, events } = open();
    const profile = await auth.profile('user');
    await auth.signIn(profile);
    const before = await stored();
    await disk.fill();
    clock += 2 * HOUR;
    expect(await ownerOf(stage, await auth.tokens(profile).token())).toBe('ana@example.com');
    expect(await stored()).toEqual(before);
    clock += 2 * HOUR;
    expect(await ownerOf(stage, await auth.tokens(profile).token())).toBe('ana@example.com');
    expect(notices).toEqual([expect.stringMatching(/works, but could not be stored: .* the disk is full\./)]);
    expect(events.filter(({ type }) => type === 'not-kept')).toHaveLength(1);
    expect(await stored()).toEqual(before);

    await disk.empty();
    clock += 6_000;
    await auth.tokens(profile).token();
    await expect.poll(stored).not.toEqual(before);
    const other = open().auth;
    clock += 2 * HOUR;
    expect(await ownerOf(stage, await other.tokens(profile).token())).toBe('ana@example.com');
  });

  test('is not ended by another process, which cannot see what was renewed and could not be stored', async () => {
    const first = open().auth;
    const profile = await first.profile('user');
    await first.signIn(profile);
    await disk.fill();
    clock += 2 * HOUR;
    await first.tokens(profile).token();
    const { auth } = open();
    await expect(auth.tokens(profile).token()).rejects.toMatchObject({
      code: 'file_not_writable',
      message: `Another Causeway process (${process.pid}) renewed the sign-in and could not store it.`,
    });
    clock += 2 * HOUR;
    expect(await ownerOf(stage, await first.tokens(profile).token())).toBe('ana@example.com');

    await disk.empty();
    const before = await stored();
    clock += 6_000;
    await first.tokens(profile).token();
    await expect.poll(stored).not.toEqual(before);
    clock += 2 * HOUR;
    expect(await ownerOf(stage, await auth.tokens(profile).token())).toBe('ana@example.com');
    expect(await ownerOf(stage, await first.tokens(profile).token())).toBe('ana@example.com');
  });

  test('is reported on stderr in one line that no profile name can change', async () => {
    await appendFile(stage.home.configFile, `[e\u009b2Jvil]\nhost = ${stage.workspace.host}\n`);
    const auth = stage.open({ now: () => clock, openBrowser: scriptedBrowser().open });
    const profile = await auth.profile('e\u009b2Jvil');
    await auth.signIn(profile);
    await disk.fill();
    clock += 2 * HOUR;
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await auth.tokens(profile).token();
    const said = stderr.mock.calls.map(([text]) => String(text));
    stderr.mockRestore();
    expect(said).toEqual([expect.stringMatching(/^causeway: .*\(profile e\uFFFD2Jvil\).* could not be stored: .*\n$/)]);
  });

  test('yields, if it was not stored, to one of another process and to a sign-out', async () => {
    const { auth } = open();
    const profile = await auth.profile('user');
    await auth.signIn(profile);
    await disk.fill();
    clock += 2 * HOUR;
    await auth.tokens(profile).token();
    await disk.empty();
    const other = open().auth;
    await other.signOut(profile);
    clock += 2 * HOUR;
    await expect(auth.tokens(profile).token()).rejects.toMatchObject({ code: 'signed_out' });
    await other.signIn(profile);
    expect(await ownerOf(stage, await auth.tokens(profile).token())).toBe('ana@example.com');
  });

  test('fails with an explanation and keeps the previous one, and succeeds when there is space', async () => {
    const { auth } = open();
    const profile = await auth.profile('user');
    await auth.signIn(profile);
    const before = await stored();
    await disk.fill();
    await expect(auth.signIn(profile)).rejects.toMatchObject({
      code: 'file_not_writable',
      message: expect.stringContaining('the disk is full'),
    });
    expect(await stored()).toEqual(before);
    await disk.empty();
    expect(await open().auth.signIn(profile)).toMatchObject({ state: 'signed-in' });
  });

  test('is read on a read-only disk while it needs no refresh, and then says why it cannot be refreshed', async () => {
    const first = open().auth;
    const profile = await first.profile('user');
    await first.signIn(profile);
    await disk.setReadOnly(true);
    const { auth } = open();
    expect(await ownerOf(stage, await auth.tokens(profile).token())).toBe('ana@example.com');
    // Due for renewal, and it still works.
    clock += HOUR - 2 * 60_000;
    expect(await ownerOf(stage, await open().auth.tokens(profile).token())).toBe('ana@example.com');
    clock += HOUR;
    await expect(auth.tokens(profile).token()).rejects.toMatchObject({
      code: 'file_not_writable',
      message: expect.stringContaining('is on a read-only disk'),
    });
    await disk.setReadOnly(false);
    expect(await ownerOf(stage, await auth.tokens(profile).token())).toBe('ana@example.com');
  });
});
