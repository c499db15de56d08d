import type { WorkspaceSession } from '../app/causeway.ts';
import { grafanaDashboard } from '../app/dashboard/grafana.ts';
import {
  checkedFolder,
  checkedName,
  type DashboardPlan,
  dashboardAddresses,
  installDashboard,
  planDashboard,
} from '../app/dashboard/install.ts';
import { DASHBOARD_NAME, lakeviewDashboard } from '../app/dashboard/lakeview.ts';
import { TABLES } from '../app/dashboard/queries.ts';
import { CausewayError } from '../platform/errors.ts';
import { dashboardPath } from '../workspace/dashboards.ts';
import { placeOf, sayWhere } from './changed-where.ts';
import type { CommandContext } from './command.ts';
import { agreeOrCancel } from './question.ts';
import { printable, writeAnswer, writeDone, writeJson, writeLine, writeNotice } from './terminal.ts';
import { type CommonOptions, findWarehouse, openSession } from './warehouse/options.ts';

export interface DashboardOptions extends CommonOptions {
  warehouse?: string;
  folder?: string;
  name?: string;
}

export interface InstallOptions extends DashboardOptions {
  /** False for `--no-publish`. */
  publish: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

const WOULD = { create: 'would-create', update: 'would-update', none: 'unchanged' } as const;
const DONE = { create: 'created', update: 'updated', none: 'unchanged' } as const;

/** `causeway dashboard install`: creates the dashboard in the workspace, or brings the one that is there up to date. */
export async function install(context: CommandContext, options: InstallOptions): Promise<void> {
  const session = await openSession(context, options);
  const { client, profile } = session;
  const { signal } = context;
  const plan = await planDashboard(
    client,
    await placeIn(session, options, signal),
    await warehouseId(session, options, signal),
    signal,
  );
  const path = dashboardPath(plan.folder, plan.name);
  if (options.dryRun) {
    const id = plan.present?.id ?? null;
    if (options.json)
      return answer(context, { plan, id, host: profile.host, result: WOULD[plan.what], publishes: false });
    return writeDone(context, printable(`${WOULD_WORDS[plan.what]} ${path}.`));
  }
  if (plan.what === 'update') {
    const question = `Replace the content of the dashboard ${path}? Changes that were made in it are lost.`;
    await agreeOrCancel(context, question, options.yes);
  }
  const id = await installDashboard(client, plan, options.publish, signal);
  const result = DONE[plan.what];
  if (options.json) return answer(context, { plan, id, host: profile.host, result, publishes: options.publish });
  const { edit, published } = dashboardAddresses(profile.host, id);
  await writeDone(context, printable(`${DONE_WORDS[plan.what]} ${path}.`));
  await writeLine(context.stdout, printable(options.publish ? published : edit));
  await writeNotice(context, `Viewers need CAN USE on the warehouse, and SELECT on ${TABLES.join(', ')}.`);
  if (plan.what !== 'none') await sayWhere(context, await placeOf(context, session));
}

const WOULD_WORDS = {
  create: 'Would create the dashboard',
  update: 'Would replace the content of',
  none: 'Would leave as it is',
};
const DONE_WORDS = {
  create: 'Created the dashboard',
  update: 'Replaced the content of the dashboard',
  none: 'Up to date: the dashboard',
};

/** `causeway dashboard show`: whether the dashboard is there, and up to date. */
export async function show(context: CommandContext, options: DashboardOptions): Promise<void> {
  const session = await openSession(context, options);
  const { client, profile } = session;
  const { signal } = context;
  const place = await placeIn(session, options, signal);
  const id = await client.dashboards.find(place.folder, place.name, signal);
  const path = dashboardPath(place.folder, place.name);
  if (id === undefined) {
    throw new CausewayError('not_found', `There is no dashboard ${path}.`, {
      remedy: 'Create it with: causeway dashboard install',
    });
  }
  const present = await client.dashboards.get(id, signal);
  const [plan, published] = await Promise.all([
    planDashboard(client, place, present.warehouseId ?? '', signal),
    client.dashboards.published(id, signal),
  ]);
  const isCurrent = plan.what === 'none';
  const addresses = dashboardAddresses(profile.host, id);
  if (options.json) {
    return writeAnswer(context, 'dashboard show', {
      id,
      path,
      warehouseId: present.warehouseId ?? null,
      current: isCurrent,
      published: published !== undefined,
      embedsCredentials: published?.embedsCredentials ?? null,
      url: published ? addresses.published : addresses.edit,
    });
  }
  const state = isCurrent ? 'up to date' : 'not what this version would install';
  const seen = published ? 'published' : 'not published';
  await writeLine(context.stdout, printable(`${path}: ${state}, ${seen}.`));
  if (published?.embedsCredentials) {
    await writeLine(
      context.stdout,
      'Every viewer sees it with the rights of the user who published it. Run: causeway dashboard install',
    );
  }
  await writeLine(context.stdout, printable(published ? addresses.published : addresses.edit));
}

/** `causeway dashboard print`: the file of a dashboard. */
export function print(context: CommandContext, kind: string): Promise<void> {
  return writeJson(context.stdout, kind === 'grafana' ? grafanaDashboard() : lakeviewDashboard());
}

/** By default, the user's own folder. */
async function placeIn(
  { client }: WorkspaceSession,
  { folder, name = DASHBOARD_NAME }: DashboardOptions,
  signal: AbortSignal,
) {
  if (folder !== undefined) return { folder: checkedFolder(folder), name: checkedName(name) };
  const { user } = await client.users.me(signal);
  return { folder: checkedFolder(`/Users/${user.userName}`), name: checkedName(name) };
}

/** By default, the warehouse that the user's queries run on. */
async function warehouseId(
  { warehouses }: WorkspaceSession,
  { warehouse }: DashboardOptions,
  signal: AbortSignal,
): Promise<string> {
  if (warehouse !== undefined) return (await findWarehouse(warehouses, warehouse, signal)).id;
  const found = (await warehouses.effective(signal)).warehouse?.id;
  if (found !== undefined) return found;
  throw new CausewayError('usage', 'It is not known which warehouse the dashboard is to run on.', {
    remedy: 'Name one: --warehouse NAME',
  });
}

interface Installed {
  plan: DashboardPlan;
  id: string | null;
  host: string;
  result: 'created' | 'updated' | 'unchanged' | 'would-create' | 'would-update';
  publishes: boolean;
}

function answer(context: CommandContext, { plan, id, host, result, publishes }: Installed): Promise<void> {
  const addresses = id === null ? null : dashboardAddresses(host, id);
  return writeAnswer(context, 'dashboard install', {
    result,
    id,
    path: dashboardPath(plan.folder, plan.name),
    warehouseId: plan.warehouseId,
    published: publishes,
    url: (publishes ? addresses?.published : addresses?.edit) ?? null,
  });
}
