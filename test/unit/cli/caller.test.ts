import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { callerOf } from '../../../main/cli/caller.ts';

async function homeWith(...folders: string[]) {
  const home = await mkdtemp(join(tmpdir(), 'causeway-caller-'));
  onTestFinished(() => rm(home, { recursive: true }));
  for (const folder of folders) await mkdir(join(home, folder), { recursive: true });
  const env = { HOME: home, USERPROFILE: home };
  const complaints: string[] = [];
  const caller = (folder: string, more: NodeJS.ProcessEnv = {}) =>
    callerOf({ ...env, ...more }, (words) => complaints.push(words), join(home, folder));
  return { caller, complaints };
}

it('the project of a client is the repository that it started Causeway in', async () => {
  const { caller } = await homeWith('code/shop/.git', 'code/shop/web/src', 'notes', '.git');
  expect(caller('code/shop/web/src')).toEqual({ project: 'shop' });
  expect(caller('code/shop')).toEqual({ project: 'shop' });
  // A home folder under git is no project, nor is what lies in it.
  expect([caller('notes'), caller('')]).toEqual([{}, {}]);
});

it('tags in the environment are taken, or refused in words that name the variable', async () => {
  const { caller, complaints } = await homeWith();
  expect(caller('', { AI_GATEWAY_REQUEST_TAGS: ' {"team":"data"} ' })).toEqual({ tags: { team: 'data' } });
  expect(caller('', { AI_GATEWAY_REQUEST_TAGS: '' })).toEqual({});
  expect(complaints).toEqual([]);
  expect(caller('', { AI_GATEWAY_REQUEST_TAGS: 'team=data' })).toEqual({});
  expect(complaints).toEqual([
    expect.stringMatching(/^These tags are not sent\. AI_GATEWAY_REQUEST_TAGS is not .* \{"team":"data"\}\.$/),
  ]);
});
