import { waitForEnd } from '../app/uninstall/application.ts';
import type { Removal } from '../app/uninstall/step.ts';
import { uninstall } from '../app/uninstall/uninstall.ts';
import { PACKAGE_NAME } from '../platform/npm-package.ts';
import { inOneLine } from '../words/failure.ts';
import type { Answer } from './answers/answers.ts';
import { openClients } from './clients/options.ts';
import type { CommandContext } from './command.ts';
import { exitCodeOfAll, jsonFailure } from './failure.ts';
import { printable, writeAnswer, writeDone, writeLine } from './terminal.ts';

export interface UninstallCommandOptions {
  yes?: boolean;
  force?: boolean;
  json?: boolean;
  /** The process id of the application, which quits on its own. */
  after?: string;
}

const HEADINGS: Record<Removal['kind'], string> = {
  application: 'Application',
  entries: 'Entries in the files of AI clients',
  'sign-in': 'Sign-ins',
  keychain: 'Keychain items',
  'login-item': 'Start at login',
  completion: 'Shell completion',
  files: 'Files',
};

/** `causeway uninstall`: lists what there is, and with `--yes` removes it. */
export async function uninstallCommand(context: CommandContext, options: UninstallCommandOptions): Promise<void> {
  const dryRun = !options.yes;
  if (options.after !== undefined) await waitForEnd(Number(options.after));
  const auth = await context.causeway().auth();
  const clients = openClients(context, {});
  const { removals, kept } = await uninstall({ env: context.env, auth, clients, dryRun, evenRunning: options.force });
  context.setExitCode(exitCodeOfAll(removals.flatMap(({ error }) => error ?? [])));
  if (options.json) return writeAnswer(context, 'uninstall', { dryRun, removals: removals.map(asData), kept });
  const line = dryRun
    ? (text: string) => writeLine(context.stdout, printable(text))
    : (text: string) => writeDone(context, printable(text));
  if (removals.length === 0) return line('There is nothing to remove.');
  let heading = '';
  for (const removal of removals) {
    if (HEADINGS[removal.kind] !== heading) await line(`${HEADINGS[removal.kind]}:`);
    heading = HEADINGS[removal.kind];
    await line(`  ${described(removal)}`);
  }
  await line(`Your Databricks profiles in ${kept} stay unchanged.`);
  if (dryRun) return line('Nothing was removed. `causeway uninstall --yes` removes everything listed.');
  await line(`To remove the program itself, use its installer, or run: npm uninstall --global ${PACKAGE_NAME}`);
}

function described({ what, result, note, error }: Removal): string {
  if (error) return `${what}: not removed. ${inOneLine(error)}`;
  const done = result === 'removed' ? `${what}: removed.` : what;
  return note === undefined ? done : `${done}${result === 'removed' ? '' : '.'} ${note}`;
}

function asData(removal: Removal): Answer<'uninstall'>['removals'][number] {
  const { kind, what, result, note = null, isRunning = false, error } = removal;
  return { kind, what, result, note, isRunning, error: error ? jsonFailure(error) : null };
}
