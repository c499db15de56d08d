import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClient } from './stdio-client.ts';

/** Something that carries an AI client's stdio to the floor server: Causeway in one of its two ways, or a peer. */
export interface Contender {
  name: string;
  /** What is given to Node to lead to the server at this path. */
  arguments(path: string): string[];
  env: NodeJS.ProcessEnv;
  /** The other process that carries its calls, if there is one. */
  helper: number | undefined;
}

/** Copies the built command into a folder, so that a build beside the measurement does not change what is measured. */
export async function copyCommand(folder: string): Promise<string> {
  const copy = join(folder, 'causeway');
  await cp(fileURLToPath(new URL('../../out/cli', import.meta.url)), copy, { recursive: true });
  return join(copy, 'causeway.js');
}

/** `causeway proxy`, alone or through the hub that the environment leads to. */
export function causeway(name: string, command: string, env: NodeJS.ProcessEnv, helper?: number): Contender {
  return { name, env, helper, arguments: (path) => [command, 'proxy', '--path', path] };
}

/** The least that any proxy does. */
export function bareRelay(origin: string, env: NodeJS.ProcessEnv): Contender {
  const program = fileURLToPath(new URL('bare-relay.ts', import.meta.url));
  return { name: 'bare relay', env, helper: undefined, arguments: (path) => [program, origin, path] };
}

/** Spawns a contender and waits for the answer of `initialize`. */
export function openSession(contender: Contender, path: string): Promise<StdioClient> {
  return openProgram({ arguments: contender.arguments(path), env: contender.env });
}

/** What is started with Node: its file and what follows that, and the environment. */
export interface Invocation {
  arguments: string[];
  env: NodeJS.ProcessEnv;
}

/** Spawns a program that speaks MCP on its stdio, and waits for the answer of `initialize`. */
export async function openProgram(program: Invocation): Promise<StdioClient> {
  const client = new StdioClient(process.execPath, program.arguments, program.env);
  await client.open();
  return client;
}
