import { CausewayError, inOneLine } from '../../platform/errors.ts';
import type { CliDefault } from '../../warehouses/cli-default.ts';
import type { EffectiveWarehouse } from '../../warehouses/effective.ts';
import type { CommandContext } from '../command.ts';
import { bold, printable, writeJson, writeLine } from '../print.ts';
import { describeEffective } from './describe.ts';
import { type CommonOptions, openSession } from './options.ts';

export interface ShowOptions extends CommonOptions {
  compare?: boolean;
}

/** `causeway warehouse`: the effective warehouse, and why. */
export async function show(context: CommandContext, options: ShowOptions): Promise<void> {
  const { warehouses } = await openSession(context, options);
  const [effective, cli] = await Promise.all([
    warehouses.effective(context.signal),
    options.compare ? orMessage(warehouses.cliDefault(context.signal)) : undefined,
  ]);
  if (options.json) {
    await writeJson(context.stdout, cli === undefined ? effective : { ...effective, databricksCli: cli });
    return;
  }
  const [headline = '', ...rest] = describeEffective(effective);
  await writeLine(context.stdout, bold(headline, context));
  for (const line of rest) await writeLine(context.stdout, line);
  if (cli !== undefined) await writeLine(context.stdout, compared(cli, effective));
}

async function orMessage(request: Promise<CliDefault>): Promise<CliDefault | { error: string }> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof CausewayError && error.code !== 'cancelled') return { error: inOneLine(error) };
    throw error;
  }
}

function compared(cli: CliDefault | { error: string }, { warehouse }: EffectiveWarehouse): string {
  if ('error' in cli) return `The Databricks CLI would find none: ${printable(cli.error)}`;
  const same = cli.id === warehouse?.id ? 'the same' : 'a different one';
  return `The Databricks CLI would take ${printable(cli.name)} (${cli.rule}): ${same}.`;
}
