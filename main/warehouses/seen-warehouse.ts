import { join } from 'node:path';
import { z } from 'zod';
import type { EffectiveWarehouseInfo } from '../../preload/contract/warehouse.ts';
import { stateFolder } from '../platform/paths.ts';
import { openSettings } from '../platform/settings.ts';

const seenWarehouse = z.object({
  id: z.string(),
  name: z.string(),
  /** When the query was sent, in milliseconds since the epoch. */
  at: z.number(),
  /** What was set then, as `situationOf` puts it: of another situation, it says nothing. */
  situation: z.string(),
});
const stored = z.looseObject({ users: z.record(z.string(), seenWarehouse).default({}) });

/** Where the query history has shown a query of a user's, which named no warehouse itself. */
export type SeenWarehouse = z.output<typeof seenWarehouse>;

type Whose = Pick<EffectiveWarehouseInfo, 'host' | 'user'>;

/** How many users of workspaces are remembered; those seen longest ago make room. */
const MAX_USERS = 50;

/** What decides where queries run, as far as it can be set: the override, and the workspace default behind it. */
export function situationOf({ override, steps }: Pick<EffectiveWarehouseInfo, 'override' | 'steps'>): string {
  const { outcome, warehouse } = steps.find(({ source }) => source === 'workspace-default') ?? {};
  const isNone = outcome === undefined || outcome === 'empty' || outcome === 'unreadable';
  return JSON.stringify([override, isNone ? (outcome ?? null) : (warehouse?.id ?? 'gone')]);
}

/** Where a query of this user's ran last; undefined if none was seen. Never throws: nothing depends on it. */
export async function lastSeen(env: NodeJS.ProcessEnv, whose: Whose): Promise<SeenWarehouse | undefined> {
  try {
    const { users } = (await open(env)).initial;
    const key = keyOf(whose);
    return Object.hasOwn(users, key) ? users[key] : undefined;
  } catch {
    return undefined;
  }
}

/** Remembers where a query ran. Never throws. */
export async function rememberSeen(env: NodeJS.ProcessEnv, whose: Whose, seen: SeenWarehouse): Promise<void> {
  try {
    await (await open(env)).change((now) => {
      const others = Object.entries(now.users).filter(([key]) => key !== keyOf(whose));
      const newest = others.sort(([, a], [, b]) => b.at - a.at).slice(0, MAX_USERS - 1);
      return { ...now, users: Object.fromEntries([...newest, [keyOf(whose), seen]]) };
    });
  } catch {
    // A folder that cannot be written to: the next query shows it again.
  }
}

function keyOf({ host, user }: Whose): string {
  return `${user.id} ${host}`;
}

function open(env: NodeJS.ProcessEnv) {
  return openSettings<z.output<typeof stored>>({
    folder: stateFolder(env),
    name: 'seen-warehouses',
    schema: stored,
    empty: { users: {} },
    lockFolder: join(stateFolder(env), 'locks', 'seen-warehouses'),
    damaged: 'set-aside',
    isFromOutside: true,
  });
}
