import { join } from 'node:path';
import { acquireLock } from '../../platform/lock.ts';
import type { RestClient } from '../../workspace/client.ts';
import { Pacer } from '../../workspace/pace.ts';
import { clearOverride, setOverride } from '../override-changes.ts';
import { type OnWarehouseChange, overrideOperations } from '../override-operations.ts';
import { type ApplyOptions, applyImport, chosenChanges, type LineResult, type OverrideChanges } from './apply.ts';
import type { ImportFile } from './columns.ts';
import type { JournalHead } from './journal.ts';
import { beginJournal, journalFolder } from './journal-file.ts';
import type { PlannedLine } from './plan.ts';

/** Where the changes of a plan come from, for their journal. */
export type ImportSource = Pick<JournalHead, 'kind' | 'source' | 'sha256'>;

/** The wanted changes, and where they come from. */
export interface WantedChanges extends ImportFile {
  origin: ImportSource;
}

export interface CarryOutOptions extends ApplyOptions {
  /** Called once if another import is being carried out on this computer, which is waited for. */
  onWait?: () => void;
}

/** What a plan came to. */
export interface CarriedOut {
  results: LineResult[];
  /** The journal that undoes it; null if there was nothing to change. */
  journal: { id: string; path: string } | null;
}

/**
 * Carries a plan out: one at a time on this computer, with a journal that is on disk before the first change, and at the pace
 * that the workspace takes.
 * @throws {CausewayError} `file_not_writable` if there can be no journal: nothing is changed then
 */
export async function carryOut(
  client: RestClient,
  { env, onOverrideChange }: { env: NodeJS.ProcessEnv; onOverrideChange?: OnWarehouseChange | undefined },
  plan: readonly PlannedLine[],
  source: ImportSource,
  options: CarryOutOptions = {},
): Promise<CarriedOut> {
  const changes = chosenChanges(plan, options.isLeftOut);
  const { profile } = client.rest;
  const overrides = client.pacedOverrides(new Pacer());
  const operations = overrideOperations({ ...client, overrides }, onOverrideChange);
  const admin: OverrideChanges = {
    setOverride: (id, fields, signal) => setOverride(operations, id, fields, signal),
    clearOverride: (id, signal) => clearOverride(operations, id, signal),
  };
  if (changes.length === 0) return { results: await applyImport(admin, plan, options), journal: null };

  const { user } = await client.users.me(options.signal);
  const { signal, onWait } = options;
  const lock = await acquireLock(join(journalFolder(env), 'lock'), { signal, ...(onWait && { onWait }) });
  try {
    const journal = await beginJournal(env, {
      ...source,
      host: profile.host,
      profile: profile.name,
      admin: { id: user.id, userName: user.userName },
      changes,
    });
    let results: LineResult[] = [];
    try {
      results = await applyImport(admin, plan, options, journal);
    } finally {
      const made = results.filter(({ result }) => result === 'done').length;
      // What the journal says before is enough to undo the changes.
      await journal.close(changes.length - made).catch(() => undefined);
    }
    return { results, journal: { id: journal.id, path: journal.path } };
  } finally {
    await lock.release();
  }
}
