import { Argument } from 'commander';
import type { RegisterCommand } from '../command.ts';

const HELP = `
The script tells how it is kept. To have it in this shell only:
  bash, zsh    source <(causeway completion bash)
  fish         causeway completion fish | source
  powershell   causeway completion powershell | Out-String | Invoke-Expression
Names of profiles, servers and clients are completed as they are; those of warehouses and users as they were when they were
last listed. Nothing is asked of a workspace.`;

/** `causeway completion SHELL`: the script that completes commands, options and names. */
export const registerCompletion: RegisterCommand = (program, { stdout }) => {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell to print it for').choices(['bash', 'zsh', 'fish', 'powershell']))
    .description('print the script that makes your shell complete commands and names')
    .addHelpText('after', HELP)
    .action(async (shell: keyof typeof import('./scripts.ts').SCRIPTS) => {
      const { SCRIPTS } = await import('./scripts.ts');
      stdout.write(SCRIPTS[shell]);
    });
};
