import { createHash } from 'node:crypto';
import type { Call, Route } from '../http.ts';
import { type App, RestFault } from '../model.ts';
import { pageOf, pageSize } from './paging.ts';

/** Databricks Apps: listed and read by those who may use them, started and stopped by those who manage them. */

const BASE = '/api/2.0/apps';
const MAX_PAGE = 1000;
const common: Pick<Route, 'scopes' | 'feature'> = { scopes: ['apps'], feature: 'apps' };

export const appRoutes: Route[] = [
  { method: 'GET', path: BASE, query: ['page_size', 'page_token'], ...common, handle: list },
  { method: 'GET', path: `${BASE}/:name`, ...common, handle: get },
  { method: 'POST', path: `${BASE}/:name/start`, ...common, handle: start },
  { method: 'POST', path: `${BASE}/:name/stop`, ...common, handle: stop },
];

/** What the caller may not use is taken out of a page after it was cut. */
async function list(call: Call): Promise<unknown> {
  const { state, query, features, principal } = call;
  const size = pageSize(call, 'page_size', features.chosenPageSize, MAX_PAGE);
  const listed = state.apps.filter((app) => app.listed);
  const page = pageOf(listed, size, query.get('page_token'));
  const shown = page.items.filter((app) => state.isGranted(principal.user, app.canUse));
  return {
    apps: await Promise.all(shown.map((app) => record(call, app))),
    ...(page.nextPageToken && { next_page_token: page.nextPageToken }),
  };
}

function get(call: Call): Promise<unknown> {
  return record(call, find(call));
}

function start(call: Call): Promise<unknown> {
  const app = managed(call, 'start');
  if (app.computeState !== 'STOPPED' && app.computeState !== 'ERROR') throw cannot('started', app);
  call.state.startApp(app);
  return record(call, app);
}

function stop(call: Call): Promise<unknown> {
  const app = managed(call, 'stop');
  if (app.computeState !== 'ACTIVE') throw cannot('stopped', app);
  call.state.stopApp(app);
  return record(call, app);
}

function find({ state, params, principal }: Call): App {
  const app = state.apps.find(({ name, listed }) => listed && name === params.name);
  if (!app) throw new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', `App with name ${params.name} does not exist.`);
  if (state.isGranted(principal.user, app.canUse)) return app;
  throw new RestFault(403, 'PERMISSION_DENIED', `User does not have CAN_USE on app ${app.name}.`);
}

function managed(call: Call, action: string): App {
  const app = find(call);
  const { user } = call.principal;
  if (user.admin || call.state.isGranted(user, app.canManage)) return app;
  throw new RestFault(
    403,
    'PERMISSION_DENIED',
    `User does not have CAN_MANAGE on app ${app.name}: cannot ${action} it.`,
  );
}

function cannot(done: string, { name, computeState }: App): RestFault {
  return new RestFault(400, 'BAD_REQUEST', `App ${name} cannot be ${done}: its compute is ${computeState}.`);
}

async function record(call: Call, app: App): Promise<unknown> {
  const id = createHash('sha256').update(app.name).digest('hex').slice(0, 32);
  return {
    id,
    name: app.name,
    description: app.description,
    url: await call.appOrigin(app.name),
    app_status: { state: app.appState, message: MESSAGES[app.appState] },
    compute_status: { state: app.computeState, message: `App compute is ${app.computeState}.` },
    compute_size: 'MEDIUM',
    creator: 'ana@example.com',
    create_time: '2026-09-01T08:00:00Z',
    update_time: '2026-09-01T08:00:00Z',
    user_api_scopes: [],
    effective_user_api_scopes: ['iam.current-user:read', 'iam.access-control:read'],
    oauth2_app_client_id: id,
    service_principal_name: `app-${app.name}`,
  };
}

const MESSAGES: Record<App['appState'], string> = {
  RUNNING: 'App has status: App is running',
  DEPLOYING: 'App is being deployed',
  CRASHED: 'App crashed',
  UNAVAILABLE: 'App status is unavailable.',
};
