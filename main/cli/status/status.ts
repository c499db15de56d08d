import { hubFolder, readRendezvous } from '../../hub/rendezvous.ts';
import { healthInWords } from '../../hub/warm/words.ts';
import { CausewayError, inOneLine } from '../../platform/errors.ts';
import { VERSION } from '../../platform/version.ts';
import type { EffectiveWarehouse } from '../../warehouses/effective.ts';
import { openClients } from '../clients/options.ts';
import type { CommandContext } from '../command.ts';
import { type JsonFailure, jsonFailure } from '../failure.ts';
import { bold, printable, writeJson, writeLine } from '../print.ts';
import { openServerList } from '../servers/options.ts';
import { describeEffective } from '../warehouse/describe.ts';

interface StatusOptions {
  profile?: string;
  json?: boolean;
}

interface Status {
  version: string;
  application: { running: boolean; pid: number | null };
  servers: { name: string; profile: string; path: string; state: string; message: string; remedy: string | null }[];
  /** The clients that were found, and in how many states the entries of each are. */
  clients: { id: string; name: string; entries: Record<string, string>; problem: string | null }[];
  warehouse: EffectiveWarehouse | { error: JsonFailure };
}

/** `causeway status`: all that there is to see, asked at the same time. */
export async function status(context: CommandContext, options: StatusOptions): Promise<void> {
  const [application, servers, clients, warehouse] = await Promise.all([
    applicationOf(context),
    serversOf(context),
    clientsOf(context),
    warehouseOf(context, options.profile),
  ]);
  context.signal.throwIfAborted();
  const found: Status = { version: VERSION, application, servers, clients, warehouse };
  if (options.json) return writeJson(context.stdout, found);
  for (const line of inWords(found, context)) await writeLine(context.stdout, line);
}

async function applicationOf({ env }: CommandContext): Promise<Status['application']> {
  const { isHubAlive } = await import('../../hub/attach.ts');
  const rendezvous = readRendezvous(hubFolder(env));
  const running = rendezvous !== undefined && (await isHubAlive(rendezvous));
  return { running, pid: running ? rendezvous.pid : null };
}

async function serversOf(context: CommandContext): Promise<Status['servers']> {
  const { servers } = (await openServerList(context)).read();
  if (servers.length === 0) return [];
  const warm = await context.causeway().keepWarm(servers);
  warm.keep(false);
  const stop = () => void warm.close();
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    const states = await warm.recheck();
    return states.map(({ name, profile, path, health }) => {
      const known = { name, profile, path, state: health.name };
      // Nothing is asked again after this, so nothing is said of that.
      if ('problem' in health) {
        const { message, remedy = null } = health.problem;
        return { ...known, message, remedy };
      }
      const { sentence, remedy } = healthInWords(health, { profile, now: Date.now() });
      return { ...known, message: sentence, remedy };
    });
  } finally {
    context.signal.removeEventListener('abort', stop);
    await warm.close();
  }
}

async function clientsOf(context: CommandContext): Promise<Status['clients']> {
  const { servers } = (await openServerList(context)).read();
  const reports = await openClients(context, {}).survey(servers);
  return reports
    .filter(({ because }) => because !== null)
    .map(({ id, name, files, problem }) => ({
      id,
      name,
      entries: Object.assign({}, ...files.map((file) => file.entries)),
      problem: problem ?? files.find((file) => file.problem !== undefined)?.problem ?? null,
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

function inWords({ version, application, servers, clients, warehouse }: Status, context: CommandContext): string[] {
  const section = (title: string, lines: string[]) => [
    bold(title, context),
    ...lines.map((line) => `  ${printable(line)}`),
  ];
  const running = application.running
    ? `running (process ${application.pid})`
    : 'not running: each AI client connects by itself';
  const none = servers.length === 0 ? ['none yet; add one with: causeway servers add sql'] : [];
  const noClients = clients.length === 0 ? ['none was found'] : [];
  return [
    ...section(`Causeway ${version}`, [running]),
    ...section('Servers', [
      ...none,
      ...servers.map(
        ({ name, profile, message, remedy }) => `${name} (${profile}): ${[message, remedy].filter(Boolean).join(' ')}`,
      ),
    ]),
    ...section('AI clients', [...noClients, ...clients.map(clientLine)]),
    ...section('Warehouse', 'error' in warehouse ? [failureLine(warehouse.error)] : describeEffective(warehouse)),
  ];
}

function clientLine({ name, entries, problem }: Status['clients'][number]): string {
  const states = Object.entries(entries).map(([server, state]) => `${server} ${state === 'current' ? 'there' : state}`);
  return `${name}: ${problem ?? (states.join(', ') || 'no entries')}`;
}

function failureLine({ message, remedy }: JsonFailure): string {
  return inOneLine(remedy === null ? message : `${message} ${remedy}`);
}
