import { isAppPath } from '../../../preload/contract/server-kinds.ts';
import { counted } from '../../../preload/contract/words/count.ts';
import { type AppAddress, appAddress, startAppNamed } from '../../app/servers/apps.ts';
import { addServer as add, type NewServer, titleOfSpace } from '../../app/servers/change-list.ts';
import { checkServer, isMissing, missingServer, type ServerCheck } from '../../app/servers/check-server.ts';
import { type FoundServer, typedServer } from '../../app/servers/typed-server.ts';
import { parseMeta } from '../../clients/server-arguments.ts';
import { openServers } from '../../clients/servers.ts';
import { CausewayError } from '../../platform/errors.ts';
import { inOneLine } from '../../words/failure.ts';
import type { CommandContext } from '../command.ts';
import { jsonFailure } from '../failure.ts';
import { confirm } from '../question.ts';
import { openProgress, printable, writeAnswer, writeDone, writeLine } from '../terminal.ts';
import { describeServer, serverAnswer } from './servers.ts';

export interface AddServerOptions {
  profile?: string;
  name?: string;
  path?: string;
  meta?: string[];
  json?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  check?: boolean;
}

/** `causeway servers add [KIND TARGET]`: one more server; the profile is written down by name, so that it stays the same. */
export async function addServer(
  context: CommandContext,
  word: string | undefined,
  target: string,
  options: AddServerOptions,
): Promise<void> {
  const { signal } = context;
  const { dryRun = false, json } = options;
  const causeway = context.causeway();
  const meta = options.meta && parseMeta(options.meta);
  // A list that cannot be changed is found out before anything is asked.
  await openServers(context.env);
  const { name: profile } = await (await causeway.auth()).profile(options.profile);
  const found = await typedServer(causeway, { ...options, word, target, profile }, '--path', signal);
  const { path } = found;
  const address = isAppPath(path) ? await appAddress(causeway, profile, path, signal) : undefined;
  const title = await titleOfSpace(causeway, { profile, path });
  const paths = found.sql?.paths;
  const wanted: NewServer = { name: options.name, profile, path, paths, title, meta, confirmed: address?.origin };
  // What cannot be added is not asked about.
  const planned = await add(causeway, wanted, { dryRun: true });
  if (address) await agree(context, address, profile, options);
  const isChecked = options.check !== false && !address?.halt;
  const check = isChecked ? (found.sql?.check ?? (await checkServer(causeway, { profile, path }, signal))) : undefined;
  if (check && isMissing(check)) throw await missingServer(causeway, { profile, path }, check);
  const { server, isNew } = dryRun ? planned : await add(causeway, wanted);
  if (json) {
    return writeAnswer(context, 'servers add', {
      dryRun,
      server: serverAnswer(server),
      isNew,
      tools: check?.tools ?? null,
      error: check?.error ? jsonFailure(check.error) : null,
    });
  }
  const did = isNew ? ['Would add', 'Added'] : ['Would confirm', 'Confirmed'];
  await writeDone(context, `${did[dryRun ? 0 : 1]} ${describeServer(server)}`);
  for (const line of resultOf(found, check)) await writeDone(context, line);
  if (dryRun) return;
  if (address?.halt) await writeDone(context, describeHalt(address.halt, server.name));
  const again = check?.error ? `Try it again with \`causeway servers test ${server.name}\`. ` : '';
  await writeDone(context, `${again}Add it to your clients with \`causeway clients add\`.`);
}

/** What the server has answered, and which SQL server it is. */
function resultOf({ sql }: FoundServer, check: ServerCheck | undefined): string[] {
  const newer = sql?.passedOver;
  const because = newer?.error ? `: ${newer.error.message}` : ', or you have no permission on it.';
  const which = newer ? [printable(`This workspace does not offer ${newer.add}${because}`)] : [];
  if (!check) return which;
  if (check.error) return [...which, printable(`It does not answer yet: ${inOneLine(check.error)}`)];
  return [...which, `It answers, with ${counted(check.tools, 'tool')}.`];
}

function describeHalt({ words: state, canStart }: NonNullable<AppAddress['halt']>, name: string): string {
  return printable(`It ${state}.${canStart ? ` Start it with \`causeway servers start ${name}\`.` : ''}`);
}

const UNADDED = 'Nothing was added.';

/** Shows where an app is, and asks whether tokens may go there. @throws {CausewayError} `cancelled`, `usage` */
async function agree(
  context: CommandContext,
  { app, origin, confirmed, isUsual }: AppAddress,
  profile: string,
  { dryRun, yes }: AddServerOptions,
): Promise<void> {
  const say = (line: string) => writeLine(context.stderr, printable(line));
  await say(`App "${app}" is at ${origin}.`);
  if (confirmed !== null && confirmed !== origin) await say(`Confirmed so far: ${confirmed}.`);
  if (!isUsual) await say('This is not the usual form of a Databricks Apps address.');
  await say(`Its calls send the token of profile ${profile} to that address.`);
  if (dryRun || yes || (await confirm(context, 'Allow this?', '--yes', UNADDED))) return;
  throw new CausewayError('cancelled', UNADDED);
}

/** `causeway servers start NAME`: starts a Databricks App, and waits until it runs. */
export async function startServer(
  context: CommandContext,
  name: string,
  { profile, json }: { profile?: string; json?: boolean },
): Promise<void> {
  const { signal } = context;
  const progress = openProgress(context, json || context.quiet);
  const onProgress = (text: string) => progress.say(printable(text));
  const started = await startAppNamed(context.causeway(), name, { profile, signal, onProgress }).finally(() =>
    progress.end(),
  );
  if (json) return writeAnswer(context, 'servers start', started);
  const { app, wasStarted } = started;
  await writeDone(context, printable(`App "${app}" ${wasStarted ? 'is running now' : 'is already running'}.`));
}
