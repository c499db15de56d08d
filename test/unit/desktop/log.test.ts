import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logInReport } from '../../../main/app/diagnosis/report.ts';
import { type Log, openLog } from '../../../main/desktop/log.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { Secret } from '../../../main/platform/secret.ts';

const PAT = 'dapi0123456789abcdef0123456789abcdef';

describe('the log', () => {
  let home: string;
  let log: Log;
  const content = () => readFile(join(home, 'logs', 'main.log'), 'utf8');

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'causeway-log-'));
    log = openLog({ CAUSEWAY_HOME: home }, 'info', { terminal: false });
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  it('holds each message with its time and level, for its owner only', async () => {
    log.write.warn('The proxies work alone.', { reason: 'hub_foreign' });
    expect(await content()).toMatch(
      /^\[\d{4}-\d\d-\d\d .*\] \[warn\] +The proxies work alone\. \{ reason: 'hub_foreign' \}/,
    );
    if (process.platform !== 'win32') expect((await stat(join(home, 'logs', 'main.log'))).mode & 0o077).toBe(0);
  });

  it('holds no token, wherever in an error or an object it was', async () => {
    const cause = new Error(`GET https://ana:hunter2@proxy.example answered Bearer ${PAT}`);
    log.write.error(
      'It failed:',
      new CausewayError('unexpected_answer', `It said {"access_token":"abc-def"}`, { cause }),
    );
    log.write.info({ headers: { authorization: `Bearer ${PAT}` }, kept: new Secret(PAT) });
    log.write.info('%s and %o', PAT, { refresh_token: 'abc-def' });
    const text = await content();
    for (const secret of [PAT, 'hunter2', 'abc-def']) expect(text).not.toContain(secret);
    expect(text).toContain('unexpected_answer');
  });

  it('holds the messages that its level includes', async () => {
    log.write.debug('a detail');
    log.setLevel('debug');
    log.write.debug('another detail');
    log.setLevel('error');
    log.write.warn('a warning');
    expect(await content()).toMatch(/^[^\n]*another detail\n$/);
  });

  it('is written again as soon as possible, even if the first line could not be written', async () => {
    const inTheWay = join(home, 'logs');
    await writeFile(inTheWay, '');
    log.write.info('the lost line');
    await rm(inTheWay);
    log.write.info('the first line');
    expect(await content()).toMatch(/^[^\n]*the first line\n$/);
    await rm(inTheWay, { recursive: true });
    log.write.info('the line after the folder was removed');
    expect(await content()).toMatch(/^[^\n]*the line after the folder was removed\n$/);
  });

  it('starts a new file when it has become large, and keeps the previous one', async () => {
    const line = 'x '.repeat(5_000);
    for (let written = 0; written < 3 * 1024 * 1024; written += line.length) log.write.info(line);
    const sizes = await Promise.all(['main.log', 'main.old.log'].map((name) => stat(join(home, 'logs', name))));
    for (const { size } of sizes) expect(size).toBeLessThan(1.1 * 1024 * 1024);
    log.write.info('the newest');
    expect(logInReport({ CAUSEWAY_HOME: home }, 2).at(-1)).toContain('the newest');
    expect(logInReport({ CAUSEWAY_HOME: home }, 100_000).length).toBeGreaterThan(100);
  });

  it('has no last lines before anything was logged', () => {
    expect(logInReport({ CAUSEWAY_HOME: join(home, 'elsewhere') }, 10)).toEqual([]);
  });
});
