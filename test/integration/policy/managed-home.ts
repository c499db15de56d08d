import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { fileSource } from '../../../main/permissions/policy/sources.ts';
import { setPolicySource } from '../../../main/permissions/policy/system-policy.ts';
import { homeOfAna, SQL } from '../cli/sql-session.ts';
import { ProxyProcess } from '../proxy/proxy-process.ts';
import { runCommand } from '../warehouses/harness.ts';

const MAIN = fileURLToPath(new URL('../../../main/', import.meta.url));
const OWNER = process.getuid?.() ?? 0;

/** A key of a policy that users cannot change. */
export const locked = <Value>(value: Value, reason?: string) => ({
  value,
  locked: true,
  ...(reason === undefined ? {} : { reason }),
});

/** What every refusal says. */
export const MANAGED = /Managed by your organization/;

/** Ana may use one workspace and one server, and only tools that read. */
export const oneWorkspace = (host: string) => ({
  contact: 'it@example.com',
  workspaces: locked([host], 'Customer data stays in our workspace'),
  servers: locked([SQL]),
  readOnly: locked(true),
});

/** A folder as `/etc/causeway` is, owned by the user of this process. This process finds its policy in it. */
async function managedFolder() {
  const parent = await mkdtemp(join(tmpdir(), 'causeway-policy-'));
  onTestFinished(async () => {
    setPolicySource(undefined);
    await rm(parent, { recursive: true, force: true });
  });
  const folder = join(parent, 'causeway');
  await mkdir(folder, { mode: 0o755 });
  const file = join(folder, 'policy.json');
  const mark = join(parent, 'run', 'removal');
  setPolicySource(fileSource(file, OWNER, mark));
  return {
    file,
    /** Where an administrator's removal of the package puts its process id. */
    mark,
    folder,
    parent,
    set: (keys: object) => writeFile(file, JSON.stringify({ version: 1, ...keys }, undefined, 2), { mode: 0o644 }),
  };
}

/** Ana's home on a managed computer, with what she runs there. */
export async function managedHome(keys: (host: string) => object) {
  const own = await homeOfAna();
  const policy = await managedFolder();
  await policy.set(keys(own.workspace.host));
  // The command with its policy elsewhere: the product itself has no way to say so.
  const program = join(policy.parent, 'program.mjs');
  await writeFile(
    program,
    [
      `import { fileSource } from ${JSON.stringify(`${MAIN}permissions/policy/sources.ts`)};`,
      `import { setPolicySource } from ${JSON.stringify(`${MAIN}permissions/policy/system-policy.ts`)};`,
      `import { runProxy } from ${JSON.stringify(`${MAIN}cli/proxy.ts`)};`,
      `setPolicySource(fileSource(${JSON.stringify(policy.file)}, ${OWNER}));`,
      'await runProxy(process.argv.slice(3));',
    ].join('\n'),
  );
  return {
    ...own,
    policy,
    run: (...args: string[]) => runCommand(own.env, args),
    runIn: (env: NodeJS.ProcessEnv, ...args: string[]) => runCommand({ ...own.env, ...env }, args),
    proxy: (args: string[] = ['--profile', 'ana', '--path', SQL], env: NodeJS.ProcessEnv = {}) => {
      const proxy = new ProxyProcess(args, { ...own.env, PATH: process.env.PATH, ...env }, 'pipe', program);
      onTestFinished(() => proxy.close());
      return proxy;
    },
  };
}

/** Opens a session, and calls a tool of the SQL server. @returns the text of its answer */
export async function callSql(proxy: ProxyProcess, query: string, tool = 'execute_sql'): Promise<string> {
  await proxy.open({ clientInfo: { name: 'codex-mcp-client', version: '1' } });
  return callAgain(proxy, query, tool);
}

let lastId = 100;

/** As `callSql`, in a session that is open. */
export async function callAgain(proxy: ProxyProcess, query: string, tool = 'execute_sql'): Promise<string> {
  lastId += 1;
  const { result, error } = await proxy.request(lastId, 'tools/call', { name: tool, arguments: { query } });
  return JSON.stringify(result ?? error);
}
