import { join } from 'node:path';
import { z } from 'zod';
import { type OverrideChange, overrideChange, overrideValue } from '../../../preload/contract/warehouse.ts';
import type { EffectiveWarehouseInfo } from '../../../preload/contract.ts';
import { ownMember } from '../../platform/own-member.ts';
import { stateFolder } from '../../platform/paths.ts';
import { openSettings, type SettingsFile } from '../../platform/settings.ts';

/** How many changes are kept for each profile, and for how many profiles. */
const MAX_CHANGES = 20;
const MAX_PROFILES = 50;

const ofProfile = z.object({
  /** Whose override it is: a profile may change its workspace or its user. */
  owner: z.string(),
  now: overrideValue.nullable(),
  /** The newest first. */
  changes: z.array(overrideChange),
});
const schema = z.object({ profiles: z.record(z.string(), ofProfile) });
type Stored = z.output<typeof schema>;

/**
 * The changes of each profile's override that the application has seen, and who made them. Stored in a small file; if
 * that cannot be written, the history lasts for this run.
 */
export class OverrideHistory {
  readonly #env: NodeJS.ProcessEnv;
  readonly #onChange: (profile: string) => void;
  readonly #now: () => number;
  #file: Promise<SettingsFile<Stored> | undefined> | undefined;
  #known: Stored = { profiles: {} };
  /** A queue, so that changes are written in the order in which they are seen. */
  #work: Promise<void> = Promise.resolve();

  constructor(env: NodeJS.ProcessEnv, onChange: (profile: string) => void, now: () => number = Date.now) {
    this.#env = env;
    this.#onChange = onChange;
    this.#now = now;
  }

  /** The newest first. */
  async of(profile: string): Promise<OverrideChange[]> {
    await this.#open();
    await this.#work;
    return ownMember(this.#known.profiles, profile)?.changes ?? [];
  }

  /** Compares the override with the one at the last read. */
  saw(effective: EffectiveWarehouseInfo, by: OverrideChange['by']): Promise<void> {
    this.#work = this.#work.then(() => this.#compare(effective, by));
    return this.#work;
  }

  async #compare(effective: EffectiveWarehouseInfo, by: OverrideChange['by']): Promise<void> {
    const file = await this.#open();
    const edit = (stored: Stored) => afterSeeing(stored, effective, by, this.#now());
    const known = edit(this.#known);
    // Most reads find no change.
    if (known === this.#known) return;
    this.#known = known;
    // Another process may have written meanwhile; what cannot be written is known for this run.
    this.#known = (await file?.change(edit).catch(() => undefined)) ?? this.#known;
    this.#onChange(effective.profile);
  }

  #open(): Promise<SettingsFile<Stored> | undefined> {
    const folder = stateFolder(this.#env);
    const options = {
      folder,
      name: 'override-history',
      isFromOutside: true,
      schema,
      empty: { profiles: {} },
      lockFolder: join(folder, 'locks', 'override-history'),
      damaged: 'set-aside' as const,
    };
    this.#file ??= openSettings<Stored>(options).then(
      (file) => {
        this.#known = file.read();
        return file;
      },
      () => undefined,
    );
    return this.#file;
  }
}

/** The history after the override was read; the same object if nothing has changed. */
export function afterSeeing(
  stored: Stored,
  effective: Pick<EffectiveWarehouseInfo, 'profile' | 'host' | 'user' | 'override' | 'steps'>,
  by: OverrideChange['by'],
  at: number,
): Stored {
  const { profile, host, user, override, steps } = effective;
  const owner = ownerOf({ host, user });
  const step = steps.find(({ source }) => source === 'override');
  if (step?.outcome === 'unreadable') return stored;
  const name = step?.warehouse?.name ?? null;
  const now = override && { ...override, warehouseName: override.warehouseId === null ? null : name };
  const known = ownMember(stored.profiles, profile);
  const { [profile]: _, ...others } = stored.profiles;
  // The first read finds the current override, which is not a change.
  if (known?.owner !== owner) return kept(others, profile, { owner, now, changes: [] });
  if (isSame(known.now, now)) return stored;
  const changes = [{ at, by, before: known.now, after: now }, ...known.changes].slice(0, MAX_CHANGES);
  return kept(others, profile, { owner, now, changes });
}

function ownerOf({ host, user }: Pick<EffectiveWarehouseInfo, 'host' | 'user'>): string {
  return `${host} ${user.id}`;
}

function kept(others: Stored['profiles'], profile: string, of: z.output<typeof ofProfile>): Stored {
  // Least recently seen profiles are dropped first.
  return { profiles: Object.fromEntries([...Object.entries(others).slice(1 - MAX_PROFILES), [profile, of]]) };
}

function isSame(a: EffectiveWarehouseInfo['override'], b: EffectiveWarehouseInfo['override']): boolean {
  return a?.type === b?.type && a?.warehouseId === b?.warehouseId;
}
