import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Permissions } from '../../main/permissions/permissions.ts';
import { PermissionsFile } from '../../main/permissions/permissions-file.ts';
import { serverKey } from '../../main/permissions/server-key.ts';

/** How many tools the lists name besides the one that is called: as many as a large server has. */
const OTHERS = 40;

/** Puts permissions in force that a call at the server has to be looked up in, and that allow it. */
export async function writePermissions(env: NodeJS.ProcessEnv, origin: string, path: string): Promise<void> {
  const others = Array.from({ length: OTHERS }, (_, at) => `other_tool_${at}`);
  const half = others.length / 2;
  const permissions: Permissions = {
    version: 1,
    all: { newTools: 'ask' },
    servers: { [serverKey(origin, path)]: { on: ['echo'], off: others.slice(0, half), ask: others.slice(half) } },
  };
  const file = new PermissionsFile(env).path;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(permissions));
}
