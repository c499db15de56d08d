import { type ChangeChoice, directly, type HttpChoice, type Workspace } from '../../clients/choice.ts';
import type { Outcome } from '../../clients/outcome.ts';
import type { ManagedServer } from '../../clients/servers.ts';
import { CausewayError, inOneLine } from '../../platform/errors.ts';
import { confirm } from '../ask.ts';
import type { CommandContext } from '../command.ts';
import { printable, write, writeJson, writeLine } from '../print.ts';
import { type CommonOptions, chosenServers, openClients, projectFolder } from './options.ts';

export interface ChangeOptions extends CommonOptions {
  dryRun?: boolean;
  yes?: boolean;
  force?: boolean;
}

export interface AddOptions extends ChangeOptions {
  http?: boolean;
  clientId?: string;
  callbackPort?: string;
}

/** `causeway clients add [CLIENT…]`: an entry for each server in each client. */
export async function add(context: CommandContext, ids: string[], options: AddOptions): Promise<void> {
  const servers = await chosenServers(context, options);
  if (servers.length === 0) {
    throw new CausewayError('not_found', 'There are no servers to add.', {
      action: { do: 'add-server' },
    });
  }
  const { project } = options;
  if (project !== undefined && ids.length === 0) {
    throw new CausewayError('usage', '--project needs the clients that the project is to have entries for.', {
      remedy: 'Name them, such as: causeway clients add claude-code cursor --project.',
    });
  }
  const http = await httpChoice(context, servers, options);
  const clients = openClients(context, options);
  await report(context, options, await clients.add(ids, servers, { ...(await choice(options)), http }));
}

/** `causeway clients diff [CLIENT…]`: what `add` would change. */
export function diff(context: CommandContext, ids: string[], options: CommonOptions): Promise<void> {
  return add(context, ids, { ...options, dryRun: true });
}

/** `causeway clients remove [CLIENT…]`: our entries, out again; also those whose server is no longer in the list. */
export async function remove(context: CommandContext, ids: string[], options: ChangeOptions): Promise<void> {
  const clients = openClients(context, options);
  const chosen = await choice(options);
  const names = options.server ?? (await clients.ownNames(ids, chosen.project));
  const remove = (change: ChangeChoice) => clients.remove(ids, names, change);
  const agreed = chosen.evenShared || chosen.dryRun || (await agreesToShared(context, options, remove, chosen));
  await report(context, options, await remove({ ...chosen, evenShared: agreed }));
  const projects = chosen.project === undefined && ids.length === 0 ? await clients.projects() : [];
  for (const folder of projects) {
    await writeLine(
      context.stderr,
      printable(`${folder} has entries too: causeway clients remove --project ${folder}`),
    );
  }
}

/** `causeway clients repair [CLIENT…]`: what was written and is not as it should be. */
export async function repair(context: CommandContext, ids: string[], options: ChangeOptions): Promise<void> {
  const servers = await chosenServers(context, options);
  await report(context, options, await openClients(context, options).repair(ids, servers, await choice(options)));
}

/** Asks, where somebody can answer, whether other clients may lose what is removed. */
async function agreesToShared(
  context: CommandContext,
  options: ChangeOptions,
  remove: (choice: ChangeChoice) => Promise<Outcome[]>,
  chosen: ChangeChoice,
): Promise<boolean> {
  if (options.json || context.stdin.isTTY !== true) return false;
  const losing = (await remove({ ...chosen, dryRun: true })).filter(({ sharedWith = [] }) => sharedWith.length > 0);
  if (losing.length === 0) return false;
  const sentences = losing.map(
    ({ file, sharedWith = [] }) => `${sharedWith.map(({ name }) => name).join(' and ')} would lose them too: ${file}.`,
  );
  return confirm(context, printable(`${sentences.join(' ')} Remove them all the same?`), '--yes');
}

async function choice(options: ChangeOptions): Promise<ChangeChoice> {
  const { dryRun, force, yes } = options;
  return { dryRun, replace: force, whileRunning: force, evenShared: yes, project: await projectFolder(options) };
}

async function httpChoice(
  context: CommandContext,
  servers: ManagedServer[],
  { http, clientId, callbackPort }: AddOptions,
): Promise<HttpChoice | undefined> {
  if (!http) {
    if (clientId === undefined && callbackPort === undefined) return undefined;
    throw new CausewayError('usage', '--client-id and --callback-port say how a client connects by itself.', {
      remedy: 'Add --http, or leave them out.',
    });
  }
  const port = callbackPort === undefined ? undefined : Number(callbackPort);
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65536)) {
    throw new CausewayError('usage', `--callback-port ${callbackPort} is no port.`, { remedy: 'Give 1 to 65535.' });
  }
  const auth = await context.causeway().auth();
  const workspaceOf = async (name: string): Promise<Workspace> => {
    const profile = await auth.profile(name);
    return { host: profile.host, hasApplication: (application) => auth.knowsApplication(profile, application) };
  };
  return directly(servers, workspaceOf, { clientId, callbackPort: port });
}

async function report(context: CommandContext, options: ChangeOptions, outcomes: Outcome[]): Promise<void> {
  if (outcomes.some(({ result }) => result === 'failed')) context.setExitCode(1);
  if (options.json) return writeJson(context.stdout, outcomes.map(asData));
  if (outcomes.length === 0) return writeLine(context.stderr, 'No AI client was found.');
  for (const outcome of outcomes) await print(context, outcome);
}

/** Why nothing came of a file: in one line, and in its two parts. */
function asData({ error, ...outcome }: Outcome): object {
  if (!error) return outcome;
  const { code, message: what, remedy = null } = error;
  return { ...outcome, error: { code, message: inOneLine(error), what, remedy } };
}

async function print(context: CommandContext, outcome: Outcome): Promise<void> {
  const { name, file, result, diff: difference, backup, afterwards, warnings, error } = outcome;
  if (error) return writeLine(context.stderr, printable(`${name}: ${inOneLine(error)}`));
  const line = (text: string) => writeLine(context.stdout, printable(text));
  await line(`${name}: ${result}${file === null ? '' : ` ${file}`}`);
  if (result === 'would change') {
    for (const text of (difference ?? '').trimEnd().split('\n')) await write(context.stdout, `${printable(text)}\n`);
  }
  if (backup !== undefined) await line(`  as it was before: causeway clients restore ${backup}`);
  if (result === 'written' && afterwards !== undefined) await line(`  ${afterwards}`);
  for (const other of outcome.sharedWith ?? []) {
    await line(`  ${other.name} reads the same file, and ${result === 'written' ? 'lost' : 'would lose'} them too.`);
  }
  for (const warning of warnings) await line(`  ${warning}`);
}
