import type { ChangeOutcome } from '../../clients/outcome.ts';
import { findServer, type ManagedServer, withPath } from '../../clients/servers.ts';
import { CausewayError, inOneLine } from '../../platform/errors.ts';
import { serverKey } from '../../rules/decision.ts';
import { type Rules, withRulesCopied } from '../../rules/rules.ts';
import { RulesFile } from '../../rules/rules-file.ts';
import { successorOf } from '../../workspace/offered-servers.ts';
import { openClients } from '../clients/options.ts';
import type { CommandContext } from '../command.ts';
import { writeJson, writeLine } from '../terminal.ts';
import { askForTools, describeServer, openServerList } from './servers.ts';

export interface MoveOptions {
  json?: boolean;
  dryRun?: boolean;
  force?: boolean;
  configRoot?: string;
}

/**
 * `causeway servers move NAME`: to the server that has replaced it. The name stays, with what its calls carry, its rules and the
 * entries of clients. Nothing changes unless the new server answers.
 */
export async function moveServer(context: CommandContext, name: string, options: MoveOptions): Promise<void> {
  const { json, dryRun, force } = options;
  const list = await openServerList(context);
  const before = findServer(list.read(), name);
  const successor = successorOf(before.path);
  if (!successor) {
    throw new CausewayError('not_found', `Nothing has replaced ${before.path}, where "${name}" is.`, {
      remedy: 'It stays as it is. "causeway servers" tells which servers have a successor.',
    });
  }
  const after: ManagedServer = { ...before, kind: kindAt(successor.path, before), path: successor.path };
  const tools = await askForTools(context, after).catch((error: unknown) => {
    context.signal.throwIfAborted();
    throw new CausewayError(
      'unavailable',
      `${successor.add} does not answer, so "${name}" stays where it is: ${inOneLine(error)}`,
      {
        cause: error,
      },
    );
  });
  const hasRules = await copyRules(context, { before, after }, dryRun === true);
  if (!dryRun) await list.change((now) => withPath(now, name, after.kind, after.path));
  const outcomes = await openClients(context, options).repair([], [after], { dryRun, whileRunning: force });
  const concerned = outcomes.filter(({ result }) => result !== 'unchanged');
  if (concerned.some(({ result }) => result === 'failed')) context.setExitCode(1);
  if (json) {
    const clients = concerned.map(inData);
    return writeJson(context.stdout, { from: before.path, server: after, tools: tools.length, hasRules, clients });
  }
  await writeLine(context.stdout, `${dryRun ? 'Would move' : 'Moved'} ${describeServer(after)} (was ${before.path})`);
  if (hasRules) await writeLine(context.stdout, `Its rules ${dryRun ? 'would hold' : 'hold'} there too.`);
  for (const outcome of concerned) await tell(context, outcome);
}

function kindAt(path: string, { kind }: ManagedServer): ManagedServer['kind'] {
  return path.startsWith('/ai-gateway/') ? 'other' : kind;
}

/** Whether there are rules to take along. They hold at the new place before anything leads there. */
async function copyRules(
  context: CommandContext,
  { before, after }: { before: ManagedServer; after: ManagedServer },
  isDryRun: boolean,
): Promise<boolean> {
  const { host } = await (await context.causeway().auth()).profile(before.profile);
  const change = {
    at: new Date().toISOString(),
    by: 'command' as const,
    what: `${before.name}: also at ${after.path}`,
  };
  let isCopied = false;
  await new RulesFile(context.env).change((now: Rules) => {
    const copied = withRulesCopied(now, serverKey(host, before.path), serverKey(host, after.path), change);
    isCopied = copied !== now;
    return isDryRun ? now : copied;
  });
  return isCopied;
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
