import { parseArgs } from 'node:util';
import { PROFILE_NAMES, profileNamed } from './behaviors.ts';
import { startWorkspace, type WorkspaceOptions } from './workspace.ts';

/** `npm run workspace [-- --port N --home DIR --profile NAME]`: one line of JSON when it is ready, then it serves until it is stopped. */

const USAGE = `Usage: npm run workspace -- [--port N] [--home DIR] [--profile ${PROFILE_NAMES.join('|')}]`;

try {
  const workspace = await startWorkspace(optionsOf(process.argv.slice(2)));
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopped.abort());
  stopped.signal.addEventListener('abort', () => void workspace.close().then(() => process.exit(0)), { once: true });
  const { host, profileFile, users, controlUrl: faults } = workspace;
  process.stdout.write(`${JSON.stringify({ host, profileFile, users, faults })}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`);
  process.exitCode = 2;
}

function optionsOf(args: string[]): Pick<WorkspaceOptions, 'port' | 'home' | 'profile'> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { port: text, home: text, profile: text } });
  if (values.port !== undefined && !/^\d{1,5}$/.test(values.port)) throw new Error(`--port ${values.port} is no port.`);
  return {
    ...(values.port !== undefined && { port: Number(values.port) }),
    ...(values.home !== undefined && { home: values.home }),
    ...(values.profile !== undefined && { profile: profileNamed(values.profile) }),
  };
}
