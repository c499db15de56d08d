import { findServer, type ManagedServer } from '../../clients/servers.ts';
import { longNames } from '../../clients/tool-names.ts';
import { healthInWords } from '../../hub/warm/words.ts';
import { CausewayError, inOneLine } from '../../platform/errors.ts';
import { sentences } from '../../platform/sentences.ts';
import type { CommandContext } from '../command.ts';
import { exitCodeOfAll } from '../exit-codes.ts';
import { printable, writeJson, writeLine } from '../print.ts';
import { openServerList } from './options.ts';
import { askForTools, type Tool } from './tools.ts';

interface Tested {
  server: ManagedServer;
  tools: Tool[] | null;
  /** Tool names that a client would cut or refuse, as sentences. */
  warnings: string[];
  error: string | null;
}

/** `causeway servers test [NAME…]`: connects to each server as an AI client does, and prints its tools. */
export async function test(context: CommandContext, names: string[], options: { json?: boolean }): Promise<void> {
  const list = (await openServerList(context)).read();
  const servers = names.length === 0 ? list.servers : names.map((name) => findServer(list, name));
  if (servers.length === 0) {
    throw new CausewayError('not_found', 'There are no servers yet.', {
      action: { do: 'add-server' },
    });
  }
  const tested: Tested[] = [];
  const failures: unknown[] = [];
  for (const server of servers) {
    const one = await testOne(context, server, failures);
    tested.push(one);
    if (!options.json) await print(context, one);
  }
  if (options.json) await writeJson(context.stdout, tested);
  context.setExitCode(exitCodeOfAll(failures));
}

async function testOne(context: CommandContext, server: ManagedServer, failures: unknown[]): Promise<Tested> {
  try {
    const tools = await askForTools(context, server);
    return {
      server,
      tools,
      warnings: longNames(
        server.name,
        tools.map(({ name }) => name),
      ),
      error: null,
    };
  } catch (error) {
    context.signal.throwIfAborted();
    failures.push(error);
    return { server, tools: null, warnings: [], error: inOneLine(error) };
  }
}

async function print({ stdout, stderr }: CommandContext, { server, tools, warnings, error }: Tested): Promise<void> {
  if (!tools) return writeLine(stderr, printable(`${server.name}: ${error}`));
  const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
  await writeLine(stdout, printable(`${server.name}: ${tools.length === 0 ? 'no tools' : count}`));
  for (const { name, description } of tools) {
    const about = description?.split('\n')[0]?.slice(0, 100);
    await writeLine(stdout, printable(`  ${name}${about ? `  ${about}` : ''}`));
  }
  if (tools.length === 0) {
    const { sentence, remedy } = healthInWords(
      { name: 'no-grants', checkedAt: Date.now() },
      { profile: server.profile, now: Date.now() },
    );
    await writeLine(stdout, printable(`  ${sentences(sentence, remedy)}`));
  }
  for (const warning of warnings) await writeLine(stderr, printable(`  ${warning}`));
}
