import { z } from 'zod';
import { openMemory } from '../../bridge/memory.ts';
import type { Causeway } from '../../causeway.ts';
import type { ManagedServer } from '../../clients/servers.ts';

const answerSchema = z.object({ result: z.object({ tools: z.array(z.object({ name: z.string() })) }) });

/** The names of a server's tools as it last told them to a client; none where it never has. Asks no server. */
export async function knownTools(
  causeway: Causeway,
  env: NodeJS.ProcessEnv,
  { profile, path }: ManagedServer,
): Promise<string[]> {
  try {
    const { host } = await (await causeway.auth()).profile(profile);
    const frame = await openMemory(env, { host, path, profile }).get('tools/list');
    const answer = answerSchema.safeParse(frame && JSON.parse(frame.toString('utf8')));
    return answer.success ? answer.data.result.tools.map(({ name }) => name) : [];
  } catch {
    // A profile that is gone, or a memory that is damaged: there is nothing to warn of that is known.
    return [];
  }
}
