import { resolve } from 'node:path';
import { willSee } from '../../../preload/contract/words/client-test.ts';
import { type ClientTest, testEntries } from '../../app/client-test/client-test.ts';
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
  const home = options.configRoot === undefined ? context : context.inHome(resolve(options.configRoot));
  const tests = await testEntries(
    entries,
    ids,
    {
      environment: hostEnvironment(context, options),
      folder: process.cwd(),
      auth: () => home.causeway().auth(),
      signal: context.signal,
    },
    options.json ? undefined : (test) => print(context, test),
  );
  context.setExitCode(exitCodeOfAll(tests.flatMap(({ error }) => error ?? [])));
  if (!options.json) return;
  await writeAnswer(context, 'clients test', {
    tests: tests.map(({ error, ...test }) => ({ ...test, error: error ? jsonFailure(error) : null })),
  });
}

async function print(context: CommandContext, test: ClientTest): Promise<void> {
  if (test.error) return writeLine(context.stderr, inOneLine(test.error));
  await writeDone(context, willSee({ ...test, tookMs: test.tookMs ?? 0, tools: test.tools.length }));
}
