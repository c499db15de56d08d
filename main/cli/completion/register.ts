import { Argument } from 'commander';
import type { RegisterCommand } from '../command.ts';

const HELP = `
The script says how to install it. To try it in the current shell only:
  bash, zsh    source <(causeway completion bash)
  fish         causeway completion fish | source
  powershell   causeway completion powershell | Out-String | Invoke-Expression
Profiles, servers and clients are always current. Warehouses, users and tools are those that were last listed. Completion
never contacts a workspace.`;

/** `causeway completion SHELL`: the script that completes commands, options and names. */
export const registerCompletion: RegisterCommand = (program, { stdout }) => {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish', 'powershell']))
    .description('print the completion script of a shell')
    .addHelpText('after', HELP)
    .action(async (shell: keyof typeof import('./scripts.ts').SCRIPTS) => {
      const { SCRIPTS } = await import('./scripts.ts');
      stdout.write(SCRIPTS[shell]);
    });
};
