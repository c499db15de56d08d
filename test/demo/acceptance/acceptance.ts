import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { arch, platform, release } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Exchange } from '../../workspace/wire.ts';
import type { EmbeddedWorkspace } from '../../workspace/workspace.ts';
import type { Account } from '../account.ts';
import { inShort, requestLine } from './evidence.ts';
import { acceptancePage, count, PAGE_MARK } from './page.ts';
import { REQUIREMENTS } from './requirements.ts';
import { accept, type Result } from './run.ts';

const BUILT = fileURLToPath(new URL('../../../out/cli/causeway.js', import.meta.url));
/** Requests that the terminal shows for a requirement; the page has them all. */
const SHOWN_REQUESTS = 4;
const LINE_LENGTH = 150;

export interface AcceptanceRun {
  /** Where the page goes. */
  page: string;
  /** Only the requirements whose numbers begin with it, such as `override 1`. */
  only?: string | undefined;
  /** The command that is judged, if it is another than the built one. */
  command?: string | undefined;
  /** Whether the window's rows are shown. */
  window: boolean;
  buildWindow(): Promise<void>;
  signal: AbortSignal;
  spoil?: (workspace: EmbeddedWorkspace) => void;
}

/** Judges the specification, prints the evidence, and writes the page. @returns whether nothing failed */
export async function runAcceptance(account: Account, run: AcceptanceRun): Promise<boolean> {
  const page = resolve(run.page);
  await refuseForeignFile(page);
  const requirements = REQUIREMENTS.filter(({ number }) => run.only === undefined || begins(number, run.only));
  if (requirements.length === 0) throw new Error(`No requirement’s number begins with "${run.only}".`);
  const command = commandOf(run.command);
  const version = await versionOf(command);
  const needsWindow = requirements.some(({ by }) => by === 'window');
  const opener = run.window && needsWindow ? await findOpener(run) : 'The window was not asked for.';
  const noWindow = typeof opener === 'string' ? opener : undefined;
  const openWindow = typeof opener === 'string' ? undefined : opener.open;

  const results: Result[] = [];
  const { signal, spoil } = run;
  for await (const result of accept(requirements, {
    program: { command, openWindow },
    noWindow,
    signal,
    ...(spoil && { spoil }),
  })) {
    signal.throwIfAborted();
    results.push(result);
    tell(account, result);
  }
  const notes = needsWindow
    ? [
        typeof opener === 'string'
          ? `The window’s rows are left out. ${opener}`
          : `The window’s rows were shown by ${opener.what}.`,
      ]
    : [];
  const computer = `${platform()} ${release()} ${arch()}, Node.js ${process.versions.node}`;
  await writeFile(
    page,
    acceptancePage(results, { version, at: new Date(), computer, command: command.join(' '), notes }),
  );
  for (const note of notes) account.note(note);
  const summary = `${count(results, 'pass')} pass, ${count(results, 'fail')} fail, ${count(results, 'not shown here')} not shown here.`;
  account.end(`${summary} The page is ${page}`);
  return count(results, 'fail') === 0;
}

/** `override 1` begins `override 1.3`, and not `override 10.1`. */
function begins(number: string, only: string): boolean {
  return number === only || number.startsWith(/[\d]$/.test(only) ? `${only}.` : only);
}

async function findOpener(run: AcceptanceRun) {
  const { findWindow } = await import('./window.ts');
  const opener = findWindow(process.env);
  if (typeof opener !== 'string') await run.buildWindow();
  return opener;
}

function commandOf(file: string | undefined): string[] {
  if (file === undefined) return [process.execPath, BUILT];
  return /\.[cm]?js$/.test(file) ? [process.execPath, resolve(file)] : [file];
}

async function versionOf([file = '', ...first]: string[]): Promise<string> {
  const printed = await promisify(execFile)(file, [...first, '--version']).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
  return printed || 'of an unknown version';
}

/** What is not the page of an earlier run is not written over. */
async function refuseForeignFile(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text !== '' && !text.includes(PAGE_MARK)) {
    throw new Error(`${file} exists and is no page of an earlier run. Name another file with --page.`);
  }
}

function tell(account: Account, { requirement, outcome }: Result): void {
  const { number, document, heading, says, by } = requirement;
  const data = { number, document, heading, says, by, verdict: outcome.verdict };
  if (outcome.verdict === 'not shown here') {
    account.verdict('left-out', `${number}  ${says}`, [outcome.reason], { ...data, reason: outcome.reason });
    return;
  }
  const { steps, rests, reason, tookMs } = outcome;
  const commands = [...new Set(steps.map(({ did }) => did).filter((did) => did.startsWith('$ ') || by === 'window'))];
  const requests = [...rests].slice(-SHOWN_REQUESTS);
  const lines = [
    ...(reason === undefined ? [] : [reason]),
    ...commands,
    ...requests.flatMap(inLines),
    ...(rests.size > requests.length ? [`and ${rests.size - requests.length} more on the page`] : []),
  ];
  const wire = [...rests].map((one) => ({ request: requestLine(one), user: one.logged.userName, sent: one.sent }));
  account.verdict(
    outcome.verdict,
    `${number}  ${says}`,
    lines.map((line) => (line === reason ? line : inShort(line, LINE_LENGTH))),
    { ...data, reason, tookMs, commands, wire },
  );
}

/** A request as the terminal shows it: what was sent with which credential, and what came back. */
function inLines(exchange: Exchange): string[] {
  const { authorization, sent, answered } = exchange;
  const lines = [requestLine(exchange), `  > ${[authorization, sent].filter(Boolean).join(' ')}`, `  < ${answered}`];
  return lines.filter((line) => !/^ {2}[<>] $/.test(line));
}
