import { Argument } from 'commander';
import type { RegisterCommand } from '../command.ts';

const HELP = `
The script says how to keep it. To have it in this shell only:
  bash, zsh    source <(causeway completion bash)
  fish         causeway completion fish | source
  powershell   causeway completion powershell | Out-String | Invoke-Expression
Profiles, servers and clients are completed as they are now; warehouses, users and tools as they were when last listed. No
workspace is contacted.`;

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
