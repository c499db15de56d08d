import { Command } from 'commander';
import { CausewayError } from '../platform/errors.ts';
import { VERSION } from '../platform/version.ts';
import { registerAccount } from './account/register.ts';
import { registerClients } from './clients/register.ts';
import type { CommandContext, RegisterCommand } from './command.ts';
import { registerCompletion } from './completion/register.ts';
import { registerDiagnose } from './diagnose/register.ts';
import { pathOf } from './failure.ts';
import { addHelp } from './help.ts';
import { registerProxy } from './proxy-arguments.ts';
import { registerRules } from './rules/register.ts';
import { registerServers } from './servers/register.ts';
import { registerStatus } from './status/register.ts';
import { registerWarehouse } from './warehouse/register.ts';
import { registerWarehouses } from './warehouses/register.ts';

const COMMANDS: RegisterCommand[] = [
  registerProxy,
  registerStatus,
  registerDiagnose,
  registerAccount,
  registerWarehouse,
  registerWarehouses,
  registerServers,
  registerClients,
  registerRules,
  registerCompletion,
];

/**
 * Every command with its arguments, options and help. Only a command that runs loads more. `onCommand` is told which
 * command was meant, before it runs or is refused.
 */
export function buildProgram(context: CommandContext, onCommand: (command: Command) => void = () => {}): Command {
  const program = new Command('causeway')
    .description(
      "Connects AI clients to a Databricks workspace's managed MCP servers, and controls which SQL warehouse their queries run on.",
    )
    .version(VERSION, '-v, --version', 'print the version')
    .configureOutput({ writeOut: (text) => context.stdout.write(text), writeErr: (text) => context.stderr.write(text) })
    .showHelpAfterError('(causeway --help lists the commands)')
    .hook('preAction', (_program, action) => {
      onCommand(action);
      refuseEmptyValues(action);
    });
  for (const register of COMMANDS) register(program, context);
  addHelp(program, context);
  for (const command of everyCommand(program)) {
    command.exitOverride((error) => {
      onCommand(command);
      throw error;
    });
  }
  return program;
}

/** Every command below one, and it itself. */
function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** An empty value, as an unset variable of a script leaves it, must not mean the same as no option. */
function refuseEmptyValues(command: Command): void {
  // These refuse it in the words of the Databricks CLI.
  if (command.parent?.name() === 'warehouses') return;
  for (let at: Command | null = command; at; at = at.parent) {
    for (const option of at.options) {
      if (at.getOptionValue(option.attributeName()) !== '') continue;
      throw new CausewayError('usage', `${option.long ?? option.flags} was given without a value.`, {
        remedy: `Name one, or leave it out. \`${pathOf(command)} --help\` lists the options.`,
      });
    }
  }
}
