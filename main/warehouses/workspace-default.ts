import { CausewayError, sentences } from '../platform/errors.ts';
import { inOneLine } from '../words/failure.ts';
import type { RestClient } from '../workspace/client.ts';
import { WorkspaceError } from '../workspace/errors.ts';
import { ownerOf } from '../workspace/overrides.ts';
import type { DefaultWarehouseSetting } from '../workspace/settings.ts';
import { finished, lookAfterwards } from './lost-answers.ts';
import { isMissing, type OnWarehouseChange } from './override-operations.ts';

/** How many users a change of the workspace default concerns: those without an override of their own, of all active ones. */
export interface Affected {
  withoutOverride: number;
  users: number;
}

/** The default warehouse of a workspace, for its admins. */
export function workspaceDefault(client: RestClient, onChange: OnWarehouseChange = () => {}) {
  const { settings } = client;
  const read = (signal?: AbortSignal) => readSetting(client, signal);

  /** Makes one change of what was read before, and reads back what is stored. */
  const change = async (wanted: string | null, seen: DefaultWarehouseSetting, signal?: AbortSignal): Promise<void> => {
    const tell = (confirmed: boolean) => onChange({ of: 'workspace-default', warehouse: wanted, confirmed });
    try {
      if (wanted === null) await settings.clearDefaultWarehouse(seen.etag, signal);
      else await settings.setDefaultWarehouse(wanted, seen.etag, signal);
    } catch (error) {
      // Where it was already cleared, there is nothing to clear.
      if (wanted === null && isMissing(error)) return onChange();
      await checkMade(client, wanted, explained(error));
      tell(true);
      return;
    }
    tell(true);
    const { warehouseId } = await read(signal).catch((error: unknown) => {
      const message = `The change was saved, but could not be read back. ${inOneLine(error)}`;
      throw error instanceof WorkspaceError
        ? error.rephrased(error.code, message, 'Check the workspace default.')
        : error;
    });
    if (warehouseId !== wanted) throw changedMeanwhile(warehouseId);
  };

  return {
    /** What is set, with the version that a change has to name. @throws {CausewayError} `feature_unavailable` without the preview */
    read,
    /** Sets the default, or removes it for `null`. @throws {CausewayError} `conflict` if it is no longer as it was read */
    change,
    /** Whom a change concerns; null if the users or their overrides cannot be listed. */
    affected: (signal?: AbortSignal) => affected(client, signal),
  };
}

async function readSetting({ settings }: RestClient, signal?: AbortSignal): Promise<DefaultWarehouseSetting> {
  try {
    return await settings.defaultWarehouse(signal);
  } catch (error) {
    if (isMissing(error)) return { warehouseId: null, etag: undefined };
    throw explained(error);
  }
}

async function affected({ users, overrides }: RestClient, signal?: AbortSignal): Promise<Affected | null> {
  const owners = new Set<string>();
  const active = new Set<string>();
  try {
    await Promise.all([
      (async () => {
        for await (const record of overrides.list(signal)) owners.add(ownerOf(record));
      })(),
      (async () => {
        for await (const user of users.list({}, signal)) if (user.active !== false) active.add(user.id);
      })(),
    ]);
  } catch (error) {
    if (error instanceof CausewayError && error.code !== 'cancelled') return null;
    throw error;
  }
  return { withoutOverride: [...active].filter((id) => !owners.has(id)).length, users: active.size };
}

/** Finds out what became of a change whose answer was lost. @throws the change's error, unless the change was made */
async function checkMade(client: RestClient, wanted: string | null, error: unknown): Promise<void> {
  const now = await lookAfterwards(error, (late) => readSetting(client, late));
  if (now.warehouseId === wanted) return finished(undefined, error);
  if (!(error instanceof WorkspaceError)) throw error;
  throw error.rephrased(error.code, sentences(error.message, 'The change was not made.'), 'Try again.');
}

function changedMeanwhile(now: string | null): CausewayError {
  const held = now === null ? 'none' : `warehouse ${now}`;
  return new CausewayError('conflict', `The change was accepted, but the workspace default is now ${held}.`, {
    remedy: 'Someone else may have changed it at the same time. Check it and try again.',
  });
}

/** Refusals that say nothing of what they are about. */
function explained(error: unknown): unknown {
  if (!(error instanceof WorkspaceError)) return error;
  if (error.code === 'conflict') {
    const remedy = 'Nothing was changed. Check it and try again.';
    return error.rephrased('conflict', 'Someone else has changed the workspace default in the meantime.', remedy);
  }
  if (error.code !== 'feature_unavailable') return error;
  return error.rephrased(
    'feature_unavailable',
    'This workspace does not offer its default warehouse to other programs. The setting is a preview.',
    'A workspace admin can change it in Databricks, under Settings > Compute.',
  );
}
