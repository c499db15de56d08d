import { moveServer as move } from '../../app/servers/move-server.ts';
import type { ChangeOutcome } from '../../clients/outcome.ts';
import { PermissionsFile } from '../../permissions/permissions-file.ts';
import { inOneLine } from '../../words/failure.ts';
import { changeAnswer } from '../clients/change-answer.ts';
import { openClients } from '../clients/options.ts';
import type { CommandContext } from '../command.ts';
import { exitCodeOfAll } from '../failure.ts';
import { identifierText, writeAnswer, writeDone, writeLine } from '../terminal.ts';
import { describeServer, serverAnswer } from './servers.ts';

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
  context.setExitCode(exitCodeOfAll(outcomes.flatMap(({ error }) => error ?? [])));
  if (json) {
    return writeAnswer(context, 'servers move', {
      dryRun: dryRun === true,
      from: before.path,
      server: serverAnswer(after),
      tools,
      hasPermissions,
      changes: outcomes.map(changeAnswer),
    });
  }
  await writeDone(context, `${dryRun ? 'Would move' : 'Moved'} ${describeServer(after)} (was ${before.path})`);
  if (hasPermissions) await writeDone(context, `Its permissions ${dryRun ? 'would apply' : 'apply'} there too.`);
  for (const outcome of outcomes) await tell(context, outcome);
}

async function tell(context: CommandContext, { name, file, result, afterwards, error }: ChangeOutcome): Promise<void> {
  if (error) return writeLine(context.stderr, `${name}: ${inOneLine(error)}`);
  await writeDone(
    context,
    `${name}: ${identifierText(result)}${file === null ? '' : ` ${file}`}${afterwards ? `. ${afterwards}` : ''}`,
  );
}
