import { openEndpoint } from '../../bridge/endpoint.ts';
import type { ManagedServer } from '../../clients/servers.ts';
import { HealthSession, type Tool as WholeTool } from '../../hub/warm/health-session.ts';
import { openPool } from '../../platform/http.ts';
import { sharedPools } from '../../platform/pools.ts';
import type { CommandContext } from '../command.ts';

/** A tool as far as people read of it. */
export type Tool = Pick<WholeTool, 'name' | 'description'>;

/** How long a server may be silent, in milliseconds: a warehouse may have to start. */
const PATIENCE_MS = 60_000;

/**
 * Begins a session with a server and asks what tools it has, as the running application does.
 * @throws {CausewayError} as `openEndpoint`; `unexpected_answer` with the server's words, `timeout`, `cancelled`
 */
export async function askForTools(context: CommandContext, { profile, path }: ManagedServer): Promise<Tool[]> {
  const { env, signal } = context;
  const pools = sharedPools((origin) => openPool(origin, { env, silenceMs: PATIENCE_MS }));
  const endpoint = await openEndpoint({ profile, path }, await context.causeway().auth(), pools.to, env);
  const session = new HealthSession(endpoint);
  try {
    return (await session.tools(signal)).map(({ name, description }) =>
      description ? { name, description } : { name },
    );
  } finally {
    await session.close();
    await pools.close();
  }
}
