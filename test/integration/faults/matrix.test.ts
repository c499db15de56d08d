import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { installBrowser } from '../auth/causeway-process.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { NO_SMALL_DISK, type SmallDisk, smallDisk } from './small-disk.ts';

const CAUSEWAY = fileURLToPath(new URL('../../../out/cli/causeway.js', import.meta.url));
const HUB = fileURLToPath(new URL('../../bench/hub-program.ts', import.meta.url));

const ADD_SERVER = ['servers', 'add', 'sql', '--profile', 'pat'];
/** Everything that is written, as a person does it. */
const OPERATIONS = {
  'a sign-in': ['login', '--profile', 'user'],
  'a renewal': ['whoami', '--profile', 'user'],
  'a client file': ['clients', 'add', 'cursor'],
  'an override': ['warehouse', 'last-selected', '--profile', 'pat'],
  'an export': ['warehouse', 'export', 'overrides.csv', '--profile', 'pat'],
} as const;
type Operation = keyof typeof OPERATIONS;

let workspace: EmbeddedWorkspace;
let disk: SmallDisk;
let home: OwnHome;

describe.skipIf(NO_SMALL_DISK)(
  `with the home folder on its own disk${NO_SMALL_DISK ? ` (${NO_SMALL_DISK})` : ''}`,
  () => {
    beforeEach(async () => {
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
      const added = spawn(process.execPath, [CAUSEWAY, ...ADD_SERVER], { env: home.env, stdio: 'ignore' });
      await once(added, 'close');
    });
    afterEach(async () => {
      await workspace.close();
      await disk[Symbol.asyncDispose]();
      await home.remove();
    });

    function start(operation: Operation) {
      if (operation === 'a renewal') workspace.faults.expireAccessTokens();
      const child = spawn(process.execPath, [CAUSEWAY, ...OPERATIONS[operation]], { env: home.env, cwd: disk.folder });
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      child.stdout.resume();
      const ended = once(child, 'close').then(([code]) => ({ code, stderr }));
      return { child, ended };
    }
    const run = (operation: Operation) => start(operation).ended;

    const read = (path: string) => readFile(join(disk.folder, path), 'utf8');

    /** What the person has is whole: the profiles, their own entries, and the sign-in. */
    async function expectNothingLost(config: string): Promise<void> {
      expect(await read('.databrickscfg')).toBe(config);
      expect(JSON.parse(await read('.cursor/mcp.json'))).toMatchObject({ mcpServers: { mine: { command: 'x' } } });
    }

    /** It has worked, or says in words why not. */
    function expectHonest({ code, stderr }: { code: unknown; stderr: string }): void {
      if (code !== 0) expect(stderr).toMatch(/^(causeway|Cursor): .+\./m);
      expect(stderr).not.toMatch(/\bE[A-Z]{4,}:|\bat .*\.js:\d+/);
    }

    const operations = Object.keys(OPERATIONS).filter((name): name is Operation => name in OPERATIONS);

    test.each(operations)('%s on a full disk fails in words or works, and works again with room', async (operation) => {
      const config = await read('.databrickscfg');
      await disk.fill();
      expectHonest(await run(operation));
      await expectNothingLost(config);
      await disk.empty();
      const again = await run(operation);
      // The renewed sign-in of a process that has ended could not be kept: the person signs in again.
      if (operation === 'a renewal' && again.code === 3) expect((await run('a sign-in')).code).toBe(0);
      else expect(again).toMatchObject({ code: 0 });
      await expectNothingLost(config);
    });

    test.each(operations)(
      '%s on a read-only disk fails in words or works, and works again on a writable one',
      async (operation) => {
        const config = await read('.databrickscfg');
        await disk.setReadOnly(true);
        expectHonest(await run(operation));
        await disk.setReadOnly(false);
        expect(await run(operation)).toMatchObject({ code: 0 });
        await expectNothingLost(config);
      },
    );

    test.each(operations)(
      '%s that is killed at some moment loses nothing and works again at once',
      async (operation) => {
        const config = await read('.databrickscfg');
        for (const moment of [150, 400, 800]) {
          const { child, ended } = start(operation);
          await Promise.race([ended, sleep(moment)]);
          child.kill('SIGKILL');
          await ended;
          await expectNothingLost(config);
        }
        const again = await run(operation);
        // Killed between the server's rotation and the store, which nobody can undo: it is said, and a sign-in mends it.
        if (operation === 'a renewal' && again.code === 3) expect((await run('a sign-in')).code).toBe(0);
        else expect(again).toMatchObject({ code: 0 });
      },
    );

    test('the hub of an application starts on a full disk or says why not, and starts with room', async () => {
      const startHub = async () => {
        const child = spawn(process.execPath, [HUB, disk.folder], { env: { ...process.env, ...home.env } });
        let text = '';
        for (const stream of [child.stdout, child.stderr]) {
          stream.on('data', (chunk) => {
            text += String(chunk);
          });
        }
        const ended = once(child, 'close');
        await Promise.race([ended, once(child.stdout, 'data')]);
        child.kill('SIGKILL');
        await ended;
        return text;
      };
      await disk.fill();
      expect(await startHub()).toMatch(/^ready|the disk is full/m);
      await disk.empty();
      expect(await startHub()).toMatch(/^ready/);
    });

    test('no temporary file is left on the disk', async () => {
      await disk.fill();
      for (const operation of operations) await run(operation);
      await disk.empty();
      const names = await readdir(disk.folder, { recursive: true });
      expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
    });
  },
);
