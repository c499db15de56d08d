import { resolve } from 'node:path';
import { counted } from '../../../preload/contract/words/count.ts';
import { type ClientTest, testEntry } from '../../app/client-test/client-test.ts';
import { CausewayError } from '../../platform/errors.ts';
import { inOneLine } from '../../words/failure.ts';
import type { CommandContext } from '../command.ts';
import { exitCodeOfAll, jsonFailure } from '../failure.ts';
import { writeAnswer, writeDone, writeLine } from '../terminal.ts';
import { type ClientOptions, chosenServers, hostEnvironment, openClients, projectFolder } from './options.ts';

/** `causeway clients test [CLIENT…]`: starts each entry as its client would, and says what the client will see. */
export async function testClients(context: CommandContext, ids: string[], options: ClientOptions): Promise<void> {
  const [servers, project] = [await chosenServers(context, options), await projectFolder(options)];
  const clients = openClients(context, options);
  const all = await clients.ownEntries(ids, servers, project);
  const entries = options.server ? all.filter(({ name }) => options.server?.includes(name)) : all;
  if (entries.length === 0) throw nothingToTest(ids);
  const home = options.configRoot === undefined ? context : context.inHome(resolve(options.configRoot));
  const tests: ClientTest[] = [];
  for (const own of entries) {
    const test = await testEntry(own, {
      environment: hostEnvironment(context, options),
      folder: process.cwd(),
      auth: () => home.causeway().auth(),
      signal: context.signal,
    });
    tests.push(test);
    if (!options.json) await print(context, test);
  }
  context.setExitCode(exitCodeOfAll(tests.flatMap(({ error }) => error ?? [])));
  if (!options.json) return;
  await writeAnswer(context, 'clients test', {
    tests: tests.map(({ error, ...test }) => ({ ...test, error: error ? jsonFailure(error) : null })),
  });
}

function nothingToTest(ids: readonly string[]): CausewayError {
  const where = ids.length === 0 ? 'the AI clients on this computer' : ids.join(' and ');
  return new CausewayError('not_found', `There is no entry of Causeway to test in ${where}.`, {
    action: { do: 'connect-client' },
  });
}

async function print(context: CommandContext, { name, server, tools, tookMs, error }: ClientTest): Promise<void> {
  if (error) return writeLine(context.stderr, inOneLine(error));
  const count = counted(tools.length, 'tool');
  await writeDone(context, `${name} will see ${count} of ${server} after ${seconds(tookMs ?? 0)}.`);
}

function seconds(ms: number): string {
  return `${(Math.max(ms, 100) / 1000).toFixed(1)} s`;
}
