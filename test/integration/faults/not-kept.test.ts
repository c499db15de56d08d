import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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
    const auth = stage.open({
      now: () => clock,
      openBrowser: scriptedBrowser().open,
      onNotice: (message) => notices.push(message),
    });
    return { auth, notices };
  };
  const stored = async () => {
    const folder = join(disk.folder, 'causeway', 'state', 'tokens');
    const names = await readdir(folder);
    return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  };

  const renewals = () => stage.workspace.requests.count({ path: '/oidc/v1/token', grantType: 'refresh_token' });
  const noRoom = {
    code: 'file_not_writable',
    message: expect.stringMatching(
      /^The sign-in of profile "user" .* has to be renewed, .*: the disk is full\. Nothing was sent, and you stay signed in\.$/,
    ),
  };

  test('is not renewed while there is no room for the new one, and is renewed when there is', async () => {
    const { auth, notices } = open();
    const profile = await auth.profile('user');
    await auth.signIn(profile);
    const before = await stored();
    await disk.fill();
    // Due for renewal, and it still works.
    clock += HOUR - 2 * 60_000;
    expect(await ownerOf(stage, await auth.tokens(profile).token())).toBe('ana@example.com');
    clock += HOUR;
    await expect(auth.tokens(profile).token()).rejects.toMatchObject(noRoom);
    // Another process, later, after this one has ended.
    await expect(open().auth.tokens(profile).token()).rejects.toMatchObject(noRoom);
    expect([renewals(), notices, await stored()]).toEqual([0, [], before]);

    await disk.empty();
    expect(await ownerOf(stage, await auth.tokens(profile).token())).toBe('ana@example.com');
    expect(renewals()).toBe(1);
    expect(await ownerOf(stage, await open().auth.tokens(profile).token())).toBe('ana@example.com');
    expect(renewals()).toBe(1);
  });

  test('can be signed out of', async () => {
    const { auth } = open();
    const profile = await auth.profile('user');
    await auth.signIn(profile);
    await disk.fill();
    expect(await open().auth.signOut(profile)).toEqual({ revoked: true });
    await expect(auth.tokens(profile).token()).rejects.toMatchObject({ code: 'signed_out' });
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
    // What could not be kept was revoked, and the one before works.
    expect(stage.workspace.requests.count({ path: '/oidc/v1/revoke' })).toBe(2);
    expect(await ownerOf(stage, await auth.tokens(profile).token())).toBe('ana@example.com');
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
