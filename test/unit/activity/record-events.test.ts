import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { activityFile } from '../../../main/activity/open-store.ts';
import { keepEvents } from '../../../main/activity/record-events.ts';
import { noteEvent } from '../../../main/platform/noted-events.ts';

function ownHome(): NodeJS.ProcessEnv {
  const home = mkdtempSync(join(tmpdir(), 'causeway-events-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  return { CAUSEWAY_HOME: home };
}

test('what a command does is kept once, where it was done, with its facts', async () => {
  const [env, other] = [ownHome(), ownHome()];
  const keep = keepEvents(env);
  noteEvent(env, 'entry-change', { client: 'codex', file: '/home/ana/.codex/config.toml', written: ['sql'] });
  noteEvent(env, 'permission-change', { what: 'read only on' });
  noteEvent(other, 'sign-in', { profile: 'ben' });
  await keep();
  noteEvent(env, 'sign-out', { profile: 'ana' });
  const database = new DatabaseSync(activityFile(env), { readOnly: true });
  const rows = database.prepare('SELECT kind, client, subject, outcome FROM event ORDER BY id').all();
  database.close();
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { kind: 'entry-change', client: 'codex', subject: '/home/ana/.codex/config.toml', outcome: '{"written":["sql"]}' },
    { kind: 'permission-change', client: null, subject: 'read only on', outcome: '{}' },
  ]);
});

test('nothing is written where nothing happens', async () => {
  const env = ownHome();
  await keepEvents(env)();
  expect(() => new DatabaseSync(activityFile(env), { readOnly: true })).toThrow();
});
