import { join } from 'node:path';
import { z } from 'zod';
import { type OverrideChange, overrideChange, overrideValue } from '../../../preload/contract/warehouse.ts';
import type { EffectiveWarehouse } from '../../../preload/contract.ts';
import { stateFolder } from '../../platform/paths.ts';
import { openSettings, type SettingsFile } from '../../platform/settings.ts';
import type { CommandChange } from '../../warehouses/command-changes.ts';

/** How many changes are remembered of each profile, and of how many profiles. */
const MOST_CHANGES = 20;
const MOST_PROFILES = 50;

const ofProfile = z.object({
  /** Whose override it is: a profile may be pointed at another workspace, or signed in to by somebody else. */
  owner: z.string(),
  now: overrideValue.nullable(),
  /** The newest first. */
  changes: z.array(overrideChange),
});
const schema = z.object({ profiles: z.record(z.string(), ofProfile) });
type Stored = z.output<typeof schema>;

/**
 * What the override of each profile was changed to, and by whom, as far as the application has seen it. It lives in
 * a small file; where that cannot be written, it lasts as long as the application runs.
 */
export class OverrideHistory {
  readonly #env: NodeJS.ProcessEnv;
  readonly #onChange: (profile: string) => void;
  readonly #now: () => number;
  #file: Promise<SettingsFile<Stored> | undefined> | undefined;
  #known: Stored = { profiles: {} };
  /** Those whose changes the command has been told to note, in this run. */
  readonly #followed = new Set<string>();
  /** One thing after the other, so that what is seen first is also written first. */
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
    return this.#known.profiles[profile]?.changes ?? [];
  }

  /** Compares what the workspace holds with what it held when it was last looked at. */
  saw(effective: EffectiveWarehouse, by: OverrideChange['by']): Promise<void> {
    this.#work = this.#work.then(() => this.#compare(effective, by));
    return this.#work;
  }

  async #compare(effective: EffectiveWarehouse, by: OverrideChange['by']): Promise<void> {
    const file = await this.#open();
    await this.#follow(effective);
    // Most looks find what the one before found: only a change is worth reading who made it.
    if (afterSeeing(this.#known, effective, by, this.#now()) === this.#known) return;
    const noted = by === 'elsewhere' ? await this.#notes().catch(() => []) : [];
    const edit = (stored: Stored) => afterSeeing(stored, effective, by, this.#now(), noted);
    this.#known = edit(this.#known);
    // Another process may have written meanwhile; what cannot be written is known for this run.
    this.#known = (await file?.change(edit).catch(() => undefined)) ?? this.#known;
    this.#onChange(effective.profile);
  }

  async #notes(): Promise<readonly CommandChange[]> {
    const { commandChanges } = await import('../../warehouses/command-changes.ts');
    return commandChanges(this.#env);
  }

  /** Where the command cannot be told of a user, what it does under the user's id counts as changed elsewhere. */
  async #follow({ host, user }: EffectiveWarehouse): Promise<void> {
    const owner = ownerOf({ host, user });
    if (this.#followed.has(owner)) return;
    this.#followed.add(owner);
    const { follow } = await import('../../warehouses/command-changes.ts');
    await follow(this.#env, { host, user: user.id }).catch(() => undefined);
  }

  #open(): Promise<SettingsFile<Stored> | undefined> {
    const folder = stateFolder(this.#env);
    const options = {
      folder,
      name: 'override-history',
      schema,
      empty: { profiles: {} },
      lockFolder: join(folder, 'locks', 'override-history'),
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

/** What is known once the present override was seen; the same object if that is nothing new. */
export function afterSeeing(
  stored: Stored,
  effective: Pick<EffectiveWarehouse, 'profile' | 'host' | 'user' | 'override' | 'steps'>,
  by: OverrideChange['by'],
  at: number,
  noted: readonly CommandChange[] = [],
): Stored {
  const { profile, host, user, override, steps } = effective;
  const owner = ownerOf({ host, user });
  const step = steps.find(({ source }) => source === 'override');
  if (step?.outcome === 'unreadable') return stored;
  const name = step?.warehouse?.name ?? null;
  const now = override && { ...override, warehouseName: override.warehouseId === null ? null : name };
  const { [profile]: known, ...others } = stored.profiles;
  // The first look finds what is there: that is no change.
  if (known?.owner !== owner) return kept(others, profile, { owner, now, changes: [] });
  if (isSame(known.now, now)) return stored;
  const isOfThisUser = (note: CommandChange) =>
    note.host === host && (note.user === 'me' ? note.profile === profile : note.user === user.id);
  const last = noted.find(isOfThisUser);
  // The command's last change, unless somebody else has changed something since.
  const byCommand = by === 'elsewhere' && last && isSame(last.to, now) && last.at > (known.changes[0]?.at ?? 0);
  const made = byCommand ? ({ at: last.at, by: 'command' } as const) : { at, by };
  const changes = [{ ...made, before: known.now, after: now }, ...known.changes].slice(0, MOST_CHANGES);
  return kept(others, profile, { owner, now, changes });
}

function ownerOf({ host, user }: Pick<EffectiveWarehouse, 'host' | 'user'>): string {
  return `${host} ${user.id}`;
}

function kept(others: Stored['profiles'], profile: string, of: z.output<typeof ofProfile>): Stored {
  // The one that was seen last is last, and the ones that were not seen for longest go.
  return { profiles: Object.fromEntries([...Object.entries(others).slice(1 - MOST_PROFILES), [profile, of]]) };
}

function isSame(a: CommandChange['to'], b: CommandChange['to']): boolean {
  return a?.type === b?.type && a?.warehouseId === b?.warehouseId;
}
