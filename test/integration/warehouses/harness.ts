import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { runProgram } from '../../../main/cli/program.ts';
import { checkAnswer } from '../../answers.ts';
import type { BehaviorName } from '../../workspace/behaviors.ts';
import { type EmbeddedWorkspace, startWorkspace, type WorkspaceOptions } from '../../workspace/workspace.ts';

/** What a run of the command line came to. */
export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** The command line, run against its own embedded workspace. */
export interface CommandLine extends AsyncDisposable {
  workspace: EmbeddedWorkspace;
  env: NodeJS.ProcessEnv;
  /** Runs `causeway ARGS` as the user of a profile. */
  run(profile: string, ...args: string[]): Promise<Run>;
  /** The same, for a command that must succeed and print JSON. */
  json(profile: string, ...args: string[]): Promise<unknown>;
  /** The workspace from now on without these behaviors, whatever its profile. */
  without(...names: BehaviorName[]): void;
  /** Stores a user's override; without a warehouse, one that follows what the user selected last. */
  give(user: keyof typeof USERS, warehouseId?: string): void;
  /** Sends a query through the SQL server with a client that is not ours; gives the warehouse it was routed to. */
  query(profile: string): Promise<{ state: string; warehouseId: string | undefined }>;
}

export const WAREHOUSES = {
  starter: '3f0c8a1d5e7b2946',
  shared: '8baced1ff014912d',
  science: 'b2d94c07a61e83f5',
  finance: 'c7e5190b3d48f62a',
  nightly: 'd10f6b8e24a97c53',
  deleting: 'e93a7d52c0b614f8',
  deleted: 'f46b21c98d0e5a73',
} as const;

export const USERS = { ana: '9007199254740993001', ben: '9007199254740993002', chloe: '8241' } as const;

/** Runs `causeway ARGS` in an environment that holds nothing else. */
export async function runCommand(env: NodeJS.ProcessEnv, args: string[]): Promise<Run> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await runProgram(args, { stdin, stdout, stderr, env });
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  const run = { code, stdout: out, stderr: err };
  checkAnswer(args, run);
  return run;
}

/** Starts a workspace whose warehouses need next to no time for their transitions. */
export async function openCommandLine(options: WorkspaceOptions = {}): Promise<CommandLine> {
  const workspace = await startWorkspace({ ...options, state: { startupMs: 20, ...options.state } });
  const home = await mkdtemp(join(tmpdir(), 'causeway-command-'));
  const env = { DATABRICKS_CONFIG_FILE: workspace.profileFile, CAUSEWAY_HOME: home };

  const run = (profile: string, ...args: string[]) => runCommand(env, [...args, '--profile', profile]);

  return {
    workspace,
    env,
    run,
    json: async (profile, ...args) => {
      const { code, stdout, stderr } = await run(profile, ...args);
      if (code !== 0) throw new Error(`causeway ${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
    without: (...names) => {
      for (const name of names) workspace.behaviors.delete(name);
    },
    give: (user, warehouseId) => {
      const type = warehouseId ? 'CUSTOM' : 'LAST_SELECTED';
      workspace.state.overrides.set(USERS[user], { userId: USERS[user], type, warehouseId });
    },
    query: (profile) => query(workspace, profile),
    [Symbol.asyncDispose]: async () => {
      await workspace.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const Answer = z.object({ statement_id: z.string(), status: z.object({ state: z.string() }) });
const UNFINISHED = new Set(['PENDING', 'RUNNING']);

async function query(workspace: EmbeddedWorkspace, profile: string) {
  const token = workspace.users.find(({ userName }) => userName.startsWith(`${profile}@`))?.token;
  // Untidy streams, and answers to ids that it did not send, mean nothing to this client.
  for (const name of ['textIds', 'untidyStreams'] as const) workspace.behaviors.delete(name);
  const client = new Client({ name: 'somebody-else', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/api/2.0/mcp/sql', workspace.host), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  let result = await client.callTool({ name: 'execute_sql_read_only', arguments: { query: 'SELECT 1' } });
  for (let answer = Answer.parse(result.structuredContent); UNFINISHED.has(answer.status.state); ) {
    const { statement_id } = answer;
    result = await client.callTool({ name: 'poll_sql_result', arguments: { statement_id } });
    answer = Answer.parse(result.structuredContent);
  }
  await client.close();
  const statement = workspace.statements.at(-1);
  const choice = statement?.choice;
  return {
    state: statement?.status.state ?? 'none',
    warehouseId: choice && 'warehouseId' in choice ? choice.warehouseId : undefined,
  };
}
