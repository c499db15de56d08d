import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ClientFacts } from '../../../main/clients/client.ts';
import type { ClientFiles } from '../../../main/clients/files.ts';
import type { System } from '../../../main/clients/places.ts';
import type { HttpChoice } from '../../../main/clients/server-entry.ts';
import type { ManagedServer } from '../../../main/clients/servers.ts';
import { ClientsService } from '../../../main/clients/service.ts';

export const SQL: ManagedServer = { name: 'databricks-sql', profile: 'prod', kind: 'sql', path: '/api/2.0/mcp/sql' };
export const GENIE: ManagedServer = {
  name: 'genie-7191',
  profile: 'prod',
  kind: 'genie',
  path: '/api/2.0/mcp/genie/7191',
};

/** Where Cursor keeps its entries, below the home folder. */
export const CURSOR = '.cursor/mcp.json';

/** Entries with an address, with the OAuth application of an account. */
export const HTTP: HttpChoice = {
  urlOf: ({ path }) => `https://w.example.com${path}`,
  isPublished: async () => false,
  clientId: 'app-1',
  callbackPort: 8020,
};

/** A user's home folder of their own, and the service that looks after the clients in it. */
export interface OwnClients extends AsyncDisposable {
  home: string;
  env: NodeJS.ProcessEnv;
  /** What stands for the root of the file system, where administrators decide about clients. */
  root: string;
  /** An executable that is there. */
  command: string;
  service(options?: {
    system?: System;
    command?: string;
    /** Where the command is Node: the script that it runs. */
    script?: string;
    running?: string[];
    moreCommands?: () => Promise<string[]>;
    files?: ClientFiles;
  }): ClientsService;
  /** Writes a file below the home folder and gives its path. */
  file(path: string, text: string | Buffer, mode?: number): Promise<string>;
  read(path: string): Promise<string>;
  /** Every file and folder below the home folder with its content and time: what looking must not change. */
  everything(): Promise<Record<string, string>>;
}

/**
 * @param below a part of the home folder's path, for names that are hard
 * @param clients the clients there are, instead of those of the table
 */
export async function ownClients(below = 'home', clients?: readonly ClientFacts[]): Promise<OwnClients> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-clients-'));
  const home = join(folder, below);
  const command = join(folder, 'causeway');
  await mkdir(home);
  await writeFile(command, '#!/bin/sh\n', { mode: 0o755 });
  const env = { PATH: '/nowhere', HOME: home, CAUSEWAY_HOME: join(folder, 'state') };
  return {
    home,
    root: join(folder, 'root'),
    env,
    command,
    service: ({ system = 'linux', command: other = command, script, running = [], moreCommands, files } = {}) =>
      new ClientsService({
        env,
        environment: { system, home, env, root: join(folder, 'root'), ...(moreCommands ? { moreCommands } : {}) },
        launcher: {
          command: other,
          prefix: script === undefined ? [] : [script],
          prepare: async () => {},
          keepCurrent: async () => {},
        },
        ...(files && { files }),
        ...(clients && { clients }),
        running: async () => new Set(running),
        // Only what the system reports counts: looking now and then would hide that it did not.
        watching: { quietMs: 20, lookMs: 600_000 },
      }),
    file: async (path, text, mode = 0o644) => {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), text, { mode });
      return join(home, path);
    },
    read: (path) => readFile(join(home, path), 'utf8'),
    everything: async () => {
      const names = await readdir(home, { recursive: true });
      const described = names.sort().map(async (name) => {
        const { mtimeMs, mode } = await stat(join(home, name));
        const content = await readFile(join(home, name), 'utf8').catch(() => '');
        return [name, `${mtimeMs} ${mode} ${content}`];
      });
      return Object.fromEntries(await Promise.all(described));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** A client's first file, and the state of an entry in it. */
export async function fileOf(own: OwnClients, id: string, name = SQL.name) {
  const report = (await own.service().survey([SQL])).find((each) => each.id === id);
  const [file] = report?.files ?? [];
  return { ...file, state: file?.entries[name] };
}
