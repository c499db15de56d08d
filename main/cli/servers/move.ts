import { moveServer as move } from '../../app/servers/move-server.ts';
import type { ChangeOutcome } from '../../clients/outcome.ts';
import { PermissionsFile } from '../../permissions/permissions-file.ts';
import { inOneLine } from '../../words/failure.ts';
import { openClients } from '../clients/options.ts';
import type { CommandContext } from '../command.ts';
import { writeJson, writeLine } from '../terminal.ts';
import { describeServer } from './servers.ts';

export interface MoveOptions {
  json?: boolean;
  dryRun?: boolean;
  force?: boolean;
  configRoot?: string;
}

/** `causeway servers move NAME`: to the server that has replaced it. */
export async function moveServer(context: CommandContext, name: string, options: MoveOptions): Promise<void> {
  const { json, dryRun } = options;
  const { before, after, tools, hasPermissions, outcomes } = await move(name, {
    causeway: context.causeway(),
    permissions: new PermissionsFile(context.env),
    clients: openClients(context, options),
    by: 'command',
    dryRun,
    whileRunning: options.force,
    signal: context.signal,
  });
  if (outcomes.some(({ result }) => result === 'failed')) context.setExitCode(1);
  if (json) {
    const clients = outcomes.map(inData);
    return writeJson(context.stdout, { from: before.path, server: after, tools, hasRules: hasPermissions, clients });
  }
  await writeLine(context.stdout, `${dryRun ? 'Would move' : 'Moved'} ${describeServer(after)} (was ${before.path})`);
  if (hasPermissions) await writeLine(context.stdout, `Its permissions ${dryRun ? 'would apply' : 'apply'} there too.`);
  for (const outcome of outcomes) await tell(context, outcome);
}

function inData({ error, ...outcome }: ChangeOutcome): object {
  return error ? { ...outcome, error: { code: error.code, message: inOneLine(error) } } : outcome;
}

async function tell(
  { stdout, stderr }: CommandContext,
  { name, file, result, afterwards, error }: ChangeOutcome,
): Promise<void> {
  if (error) return writeLine(stderr, `${name}: ${inOneLine(error)}`);
  await writeLine(stdout, `${name}: ${result}${file === null ? '' : ` ${file}`}${afterwards ? `. ${afterwards}` : ''}`);
}
