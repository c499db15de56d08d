/**
 * `npm run demo`, or `npm run --silent demo -- --json`: exit code 0 when every step did what it says, 1 when one did not. `-- --app` opens the
 * application on the same workspace, `-- --browser` its window in the browser; both until they are interrupted, and with
 * `--as-built` without building them first. `-- --acceptance` judges the specification sentence by sentence and writes a page
 * (`--page FILE`); `--only NUMBER` limits it, `--no-window` leaves the window out, `--command FILE` judges another command.
 */
import { parseArgs } from 'node:util';
import { findElectron, NO_ELECTRON } from '../../main/desktop/electron-binary.ts';
import { inOneLine } from '../../main/words/failure.ts';
import { leftOut } from '../left-out.ts';
import { openAccount } from './account.ts';
import { tellStory } from './story.ts';

const flag = { type: 'boolean', default: false } as const;
const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    json: flag,
    app: flag,
    browser: flag,
    'as-built': flag,
    acceptance: flag,
    page: { ...text, default: 'acceptance.html' },
    only: text,
    command: text,
    'no-window': flag,
  },
});
const account = openAccount({ json: values.json, stream: process.stdout });
const began = performance.now();
const interrupted = new AbortController();
// Kept for good, and not `once`: libraries that tidy up at a signal send it again, which ends a process that nobody keeps.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => interrupted.abort(new Error('Interrupted. Nothing of it is left behind.')));
}
// A reader that has seen enough (`| head`) does not keep the demo from putting away what it started.
process.stdout.on('error', () => {});

if (values.app && !findElectron(process.env)) {
  console.error(`${NO_ELECTRON} Without one, npm run demo -- --browser shows the same window.`);
  process.exit(1);
}

try {
  if (values.acceptance) await judge();
  else if (values.app || values.browser) await showWindow();
  else await tellStory(account, interrupted.signal);
  if (!values.acceptance)
    account.end(`Done in ${((performance.now() - began) / 1000).toFixed(1)} s. Nothing of it is left behind.`);
  const line = values.browser || values.acceptance ? undefined : leftOut('The desktop application (npm start) is');
  if (line !== undefined) account.note(line);
} catch (error) {
  account.failed(inOneLine(error));
  process.exitCode = 1;
}

/** What builds and serves the window is loaded only for it. */
async function showWindow(): Promise<void> {
  const { buildWindow, demonstrateApplication, demonstrateInBrowser } = await import('./window.ts');
  if (!values['as-built']) await buildWindow(account);
  await (values.app ? demonstrateApplication : demonstrateInBrowser)(account, interrupted.signal);
}

async function judge(): Promise<void> {
  const { runAcceptance } = await import('./acceptance/acceptance.ts');
  const buildWindow = async () => {
    if (!values['as-built']) await (await import('./window.ts')).buildWindow(account);
  };
  const { page, only, command } = values;
  const run = { page, only, command, window: !values['no-window'], buildWindow, signal: interrupted.signal };
  if (!(await runAcceptance(account, run))) process.exitCode = 1;
}
