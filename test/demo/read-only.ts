import type { Client } from '@modelcontextprotocol/client';
import { withEdit, withoutScope } from '../../main/permissions/permissions.ts';
import { PermissionsFile } from '../../main/permissions/permissions-file.ts';
import { serverKey } from '../../main/permissions/server-key.ts';

/** Makes a server read-only for a while. Gives the tools that its client has left, and what a call of another is told. */
export async function tryReadOnly(
  client: Client,
  { env, host, path }: { env: NodeJS.ProcessEnv; host: string; path: string },
): Promise<{ tools: string[]; refusal: string }> {
  const permissions = new PermissionsFile(env);
  const scope = { server: serverKey(host, path) };
  await permissions.change((now) => withEdit(now, scope, { readOnly: true }));
  try {
    const tools = (await client.listTools()).tools.map(({ name }) => name);
    const answer = await client.callTool({
      name: 'execute_sql',
      arguments: { query: 'DROP TABLE samples.nyctaxi.trips' },
    });
    const [part] = Array.isArray(answer.content) ? answer.content : [];
    if (answer.isError !== true || part?.type !== 'text') throw new Error('execute_sql was not refused.');
    return { tools, refusal: part.text };
  } finally {
    await permissions.change((now) => withoutScope(now, scope));
  }
}
