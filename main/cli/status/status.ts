import { setTimeout as sleep } from 'node:timers/promises';
import { CausewayError } from '../../platform/errors.ts';
import { VERSION } from '../../platform/version.ts';
import type { EffectiveWarehouse } from '../../warehouses/effective.ts';
import { openClients } from '../clients/options.ts';
import type { CommandContext } from '../command.ts';
import { type JsonFailure, jsonFailure } from '../failure.ts';
import { write, writeJson, writeLine } from '../print.ts';
import { type AskedServer, askServers } from '../servers/health.ts';
import { openServerList } from '../servers/options.ts';
import { type Application, askApplication } from './application.ts';
import { statusLines } from './lines.ts';

interface StatusOptions {
  profile?: string;
  json?: boolean;
  watch?: boolean;
}

export interface Status {
  version: string;
  application: Application;
  servers: (Pick<AskedServer, 'name' | 'profile' | 'path' | 'remedy'> & { state: string; message: string })[];
  /** The clients that were found, with their files and the state of each server's entry in them. */
  clients: {
    id: string;
    name: string;
    files: { path: string; entries: Record<string, string>; problem: string | null }[];
    problem: string | null;
  }[];
  warehouse: EffectiveWarehouse | { error: JsonFailure };
}

/** What takes requests to a workspace. */
type Slow = Omit<Status, 'version' | 'application'>;

/** How often the sessions are asked for, in milliseconds. */
const SESSIONS_EVERY_MS = 1_000;
/** How often servers, files and the warehouse are looked at, in milliseconds. */
const REST_EVERY_MS = 30_000;

/** `causeway status`: all that there is to see, asked for at the same time. */
export async function status(context: CommandContext, options: StatusOptions): Promise<void> {
  if (options.watch) return watch(context, options);
  const [application, slow] = await Promise.all([askApplication(context.env), look(context, options)]);
  context.signal.throwIfAborted();
  const found: Status = { version: VERSION, application, ...slow };
  if (options.json) return writeJson(context.stdout, found);
  for (const line of statusLines(found, context)) await writeLine(context.stdout, line);
}

/** Shows it again whenever something is different. Ctrl-C is how it ends, and no failure. */
async function watch(context: CommandContext, options: StatusOptions): Promise<void> {
  const { signal, stdout } = context;
  let slow: Slow | undefined;
  let lookedAt = 0;
  let shown = '';
  while (!signal.aborted) {
    try {
      if (slow === undefined || performance.now() - lookedAt >= REST_EVERY_MS) {
        slow = await look(context, options);
        lookedAt = performance.now();
      }
      const found: Status = { version: VERSION, application: await askApplication(context.env), ...slow };
      signal.throwIfAborted();
      const text = options.json ? `${JSON.stringify(found)}\n` : `${statusLines(found, context).join('\n')}\n`;
      if (text !== shown) await write(stdout, stdout.isTTY && !options.json ? `${CLEAR_SCREEN}${text}` : text);
      shown = text;
      await sleep(SESSIONS_EVERY_MS, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** The cursor to the first line, and nothing below it. */
const CLEAR_SCREEN = '\u001b[H\u001b[2J';

async function look(context: CommandContext, { profile }: StatusOptions): Promise<Slow> {
  const [servers, clients, warehouse] = await Promise.all([
    serversOf(context),
    clientsOf(context),
    warehouseOf(context, profile),
  ]);
  return { servers, clients, warehouse };
}

async function serversOf(context: CommandContext): Promise<Status['servers']> {
  const asked = await askServers(context);
  return asked.map(({ name, profile, path, status: state, words: message, remedy }) => ({
    name,
    profile,
    path,
    state,
    message,
    remedy,
  }));
}

async function clientsOf(context: CommandContext): Promise<Status['clients']> {
  const { servers } = (await openServerList(context)).read();
  const reports = await openClients(context, {}).survey(servers);
  return reports
    .filter(({ because }) => because !== null)
    .map(({ id, name, files, problem = null }) => ({
      id,
      name,
      files: files.map((file) => ({ path: file.path, entries: file.entries, problem: file.problem ?? null })),
      problem,
    }));
}

async function warehouseOf(context: CommandContext, profile: string | undefined): Promise<Status['warehouse']> {
  try {
    const { warehouses } = await context.causeway().open(profile);
    return await warehouses.effective(context.signal);
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code === 'cancelled') throw error;
    return { error: jsonFailure(error) };
  }
}
