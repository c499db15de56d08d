import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { installBrowser } from '../auth/causeway-process.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { CAUSEWAY } from '../proxy/proxy-process.ts';
import { ADD_SERVER, expectHonest, OPERATIONS, type Operation, startOperation } from './operations.ts';
import { NO_SMALL_DISK, type SmallDisk, smallDisk } from './small-disk.ts';

/**
 * Every operation under every fault. In this file, but for SIGSTOP, which stops the operation itself or the other party for 30
 * seconds and is in `stopped.test.ts`:
 *
 * |               | kill -9 | full disk | read-only | SIGSTOP                    | clock ± 1 day | too many files |
 * | ------------- | ------- | --------- | --------- | -------------------------- | ------------- | -------------- |
 * | a sign-in     | x       | x         | x         | itself, the workspace      | x             | x              |
 * | a renewal     | x       | x         | x         | itself, the workspace      | x             | x              |
 * | a client file | x       | x         | x         | itself, the lock's holder  | x             | x              |
 * | an override   | x       | x         | x         | itself, the workspace      | x             | x              |
 * | an export     | x       | x         | x         | itself, the workspace      | x             | x              |
 * | a proxy call  | x       | x         | x         | itself, workspace, and hub | x             | x              |
 * | a hub start   | x       | x         | x         | itself, an earlier hub     | x             | x              |
 *
 * Of a client file, no workspace is stopped, for none is asked; of a hub start neither.
 */
const operations = Object.keys(OPERATIONS).filter((name): name is Operation => name in OPERATIONS);

const preload = (name: string) => `--require "${fileURLToPath(new URL(name, import.meta.url))}"`;
const DAY_MS = 24 * 60 * 60_000;

let workspace: EmbeddedWorkspace;
let disk: SmallDisk;
let home: OwnHome;

describe.skipIf(NO_SMALL_DISK)(
  `with the home folder on its own disk${NO_SMALL_DISK ? ` (${NO_SMALL_DISK})` : ''}`,
  () => {
    /** What the operations of one fault share: each leaves it as it was, or the next one fails. */
    function fault(name: string, tests: () => void): void {
      describe(name, () => {
        beforeAll(setUp);
        afterAll(tearDown);
        tests();
      });
    }

    async function setUp(): Promise<void> {
      workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
      disk = await smallDisk(1024);
      const config = `[user]\nhost = ${workspace.host}\n[pat]\nhost = ${workspace.host}\ntoken = ${workspace.users[0]?.token}\n`;
      home = await ownHome(config);
      await copyFile(home.configFile, join(disk.folder, '.databrickscfg'));
      home.env.HOME = disk.folder;
      home.env.USERPROFILE = disk.folder;
      home.env.CAUSEWAY_HOME = join(disk.folder, 'causeway');
      await mkdir(join(disk.folder, '.cursor'));
      await writeFile(join(disk.folder, '.cursor', 'mcp.json'), '{ "mcpServers": { "mine": { "command": "x" } } }\n');
      await installBrowser(home);
      await run('a sign-in');
      const added = spawn(process.execPath, ADD_SERVER, { env: home.env, stdio: 'ignore' });
      await once(added, 'close');
    }

    async function tearDown(): Promise<void> {
      await workspace.close();
      await disk[Symbol.asyncDispose]();
      await home.remove();
    }

    function start(operation: Operation, more: NodeJS.ProcessEnv = {}) {
      if (operation === 'a renewal') workspace.faults.expireAccessTokens();
      return startOperation(operation, { ...home.env, ...more }, disk.folder);
    }
    const run = (operation: Operation, more?: NodeJS.ProcessEnv) => start(operation, more).ended;

    const read = (path: string) => readFile(join(disk.folder, path), 'utf8');

    /** What the user has is whole: the profiles, their own entries, and the sign-in. */
    async function expectNothingLost(config: string): Promise<void> {
      expect(await read('.databrickscfg')).toBe(config);
      expect(JSON.parse(await read('.cursor/mcp.json'))).toMatchObject({ mcpServers: { mine: { command: 'x' } } });
    }

    /** With the fault gone it works. A renewed sign-in that could not be kept, or was cut off, is fixed by another one. */
    async function expectRecovery(operation: Operation): Promise<void> {
      const again = await run(operation);
      if (operation === 'a renewal' && again.code === 3) expect((await run('a sign-in')).code).toBe(0);
      else expect(again).toMatchObject({ code: 0 });
    }

    fault('full disk', () => {
      test.each(operations)(
        '%s on a full disk fails with an explanation or works, leaves no temporary file, and works again with free space',
        async (operation) => {
          const config = await read('.databrickscfg');
          await disk.fill();
          expectHonest(await run(operation));
          await expectNothingLost(config);
          await disk.empty();
          const names = await readdir(disk.folder, { recursive: true });
          expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
          await expectRecovery(operation);
          await expectNothingLost(config);
        },
      );
    });

    fault('read-only disk', () => {
      test.each(operations)(
        '%s on a read-only disk fails with an explanation or works, and works again on a writable one',
        async (operation) => {
          const config = await read('.databrickscfg');
          await disk.setReadOnly(true);
          expectHonest(await run(operation));
          await disk.setReadOnly(false);
          expect(await run(operation)).toMatchObject({ code: 0 });
          await expectNothingLost(config);
        },
      );

      test.each(['clients list', 'clients backups', 'servers list', 'profiles --skip-validate', 'rules'])(
        'causeway %s, which only reads, works on a read-only disk',
        async (command) => {
          await disk.setReadOnly(true);
          const { status, stderr } = spawnSync(process.execPath, [CAUSEWAY, ...command.split(' ')], {
            env: home.env,
            encoding: 'utf8',
          });
          await disk.setReadOnly(false);
          expect({ status, failure: /^causeway: .*/m.exec(stderr) }).toEqual({ status: 0, failure: null });
        },
      );
    });

    fault('kill -9', () => {
      test.each(operations)(
        '%s that is killed at a random moment loses nothing and works again at once',
        async (operation) => {
          const config = await read('.databrickscfg');
          for (const moment of [150, 400, 800]) {
            const { child, ended } = start(operation);
            await Promise.race([ended, sleep(moment)]);
            child.kill('SIGKILL');
            await ended;
            await expectNothingLost(config);
          }
          await expectRecovery(operation);
        },
      );
    });

    fault('clock', () => {
      test.each(operations)(
        '%s works with a clock that is a day ahead, then with one a day behind, then with the correct one',
        async (operation) => {
          const config = await read('.databrickscfg');
          for (const aheadMs of [DAY_MS, -DAY_MS]) {
            const clock = { NODE_OPTIONS: preload('other-clock.cjs'), CLOCK_AHEAD_MS: String(aheadMs) };
            expect(await run(operation, clock)).toMatchObject({ code: 0 });
          }
          expect(await run(operation)).toMatchObject({ code: 0 });
          await expectNothingLost(config);
        },
      );
    });

    fault('too many files', () => {
      test.each(operations)(
        '%s that can open few more files fails with an explanation or works, and works with more',
        async (operation) => {
          const config = await read('.databrickscfg');
          for (const free of [1, 2, 3, 5]) {
            // The hub's program takes its files away by itself, once its modules are loaded.
            const takesAway = operation === 'a hub start' ? {} : { NODE_OPTIONS: preload('few-files.cjs') };
            expectHonest(await run(operation, { ...takesAway, FREE_FILES: String(free) }));
            await expectNothingLost(config);
          }
          await expectRecovery(operation);
        },
      );
    });
  },
);
