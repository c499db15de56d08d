import { isDeepStrictEqual } from 'node:util';
import { CausewayError } from '../../platform/errors.ts';
import type { RestClient } from '../../workspace/client.ts';
import { type DashboardRecord, dashboardPath } from '../../workspace/dashboards.ts';
import { WorkspaceError } from '../../workspace/errors.ts';
import { lakeviewDashboard } from './lakeview.ts';

/** Where a dashboard is to be, or is. */
export interface DashboardPlace {
  /** A folder of the workspace, such as `/Users/ana@example.com`. */
  folder: string;
  name: string;
}

/** What an installation would do. */
export interface DashboardPlan extends DashboardPlace {
  content: string;
  warehouseId: string;
  /** Null if there is none there. */
  present: DashboardRecord | null;
  what: 'create' | 'update' | 'none';
}

/** Checks a folder's path as a user types it. @throws {CausewayError} `usage` */
export function checkedFolder(folder: string): string {
  const trimmed = folder.length > 1 ? folder.replace(/\/+$/, '') : folder;
  if (/^\/[^\p{C}]*$/u.test(trimmed)) return trimmed;
  throw new CausewayError('usage', `"${folder}" is not a folder of the workspace.`, {
    remedy: 'Use a path such as /Shared or /Users/ana@example.com.',
  });
}

/** Checks a dashboard's name as a user types it. @throws {CausewayError} `usage` */
export function checkedName(name: string): string {
  if (/^[^/\p{C}]{1,200}$/u.test(name)) return name;
  throw new CausewayError('usage', `"${name}" cannot be the name of a dashboard.`, {
    remedy: 'Use up to 200 characters without a slash.',
  });
}

/**
 * Finds out what an installation would do. Changes nothing.
 * @throws {CausewayError} `conflict` if something else has that name, and as the workspace refuses it
 */
export async function planDashboard(
  { dashboards }: Pick<RestClient, 'dashboards'>,
  place: DashboardPlace,
  warehouseId: string,
  signal?: AbortSignal,
): Promise<DashboardPlan> {
  const content = JSON.stringify(lakeviewDashboard(), undefined, 2);
  const id = await dashboards.find(place.folder, place.name, signal).catch((error: unknown) => {
    throw inDashboardWords(error, place);
  });
  const present = id === undefined ? null : await dashboards.get(id, signal);
  if (!present) return { ...place, content, warehouseId, present, what: 'create' };
  const isSame = present.warehouseId === warehouseId && isSameContent(present.content, content);
  return { ...place, content, warehouseId, present, what: isSame ? 'none' : 'update' };
}

/** Creates the dashboard, or replaces its content, and publishes it. @returns its id @throws {CausewayError} as the workspace refuses it */
export async function installDashboard(
  { dashboards }: Pick<RestClient, 'dashboards'>,
  plan: DashboardPlan,
  publishes: boolean,
  signal?: AbortSignal,
): Promise<string> {
  try {
    const id = plan.present?.id ?? (await dashboards.create(plan, signal));
    if (plan.present && plan.what === 'update') await dashboards.update(id, plan, plan.present.etag, signal);
    if (publishes) await dashboards.publish(id, plan.warehouseId, signal);
    return id;
  } catch (error) {
    throw inDashboardWords(error, plan);
  }
}

/** The addresses at which a dashboard is edited, and seen once it is published. */
export function dashboardAddresses(host: string, id: string): { edit: string; published: string } {
  return { edit: `${host}/sql/dashboardsv3/${id}`, published: `${host}/dashboardsv3/${id}/published` };
}

/** The workspace may write a file's members in another order. */
function isSameContent(one: string, other: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
  } catch {
    return false;
  }
}

function inDashboardWords(error: unknown, { folder, name }: DashboardPlace): unknown {
  if (!(error instanceof WorkspaceError)) return error;
  switch (error.code) {
    case 'not_found':
      return error.rephrased(
        'not_found',
        `The workspace has no folder ${folder}.`,
        'Choose one that exists: --folder /Shared',
      );
    case 'permission_denied':
      return error.withNext({
        remedy: `You need the right to edit in ${folder}. Choose another folder: --folder FOLDER`,
      });
    case 'already_exists':
      return error.rephrased(
        'already_exists',
        `There is already something called "${name}" in ${folder}.`,
        'Run the command again, or choose another name: --name NAME',
      );
    case 'conflict':
      return error.rephrased(
        'conflict',
        `Someone else has changed the dashboard ${dashboardPath(folder, name)} in the meantime.`,
        'Nothing was changed. Look at it, and run the command again.',
      );
    case 'feature_unavailable':
      return error.rephrased('feature_unavailable', 'This workspace does not offer AI/BI dashboards.', undefined);
    default:
      return error;
  }
}
