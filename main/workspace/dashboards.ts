import { z } from 'zod';
import { CausewayError } from '../platform/errors.ts';
import type { Rest } from './rest.ts';

const PATH = '/api/2.0/lakeview/dashboards';
const STATUS_PATH = '/api/2.0/workspace/get-status';

/** How the file of a dashboard ends in the workspace's tree. */
const EXTENSION = '.lvdash.json';

const Dashboard = z.looseObject({
  dashboard_id: z.string(),
  etag: z.string().optional(),
  serialized_dashboard: z.string().optional(),
  warehouse_id: z.string().optional(),
});
const Published = z.looseObject({ embed_credentials: z.boolean().optional(), warehouse_id: z.string().optional() });
const Status = z.looseObject({ object_type: z.string().optional(), resource_id: z.string().optional() });

/** An AI/BI dashboard, as it is edited. */
export interface DashboardRecord {
  id: string;
  /** The version of it; an update that names an older one is refused. */
  etag: string | undefined;
  /** The text of its `.lvdash.json` file. */
  content: string;
  warehouseId: string | undefined;
}

/** What an update sets. */
export interface DashboardFields {
  content: string;
  warehouseId: string;
}

/** The AI/BI dashboards of a workspace (Lakeview API). */
export function dashboardsApi(rest: Rest) {
  return {
    /** The id of the dashboard with this name in a folder; undefined if nothing is there. @throws {CausewayError} `conflict` if it is no dashboard */
    find: async (folder: string, name: string, signal?: AbortSignal): Promise<string | undefined> => {
      const path = dashboardPath(folder, name);
      const { object_type: type, resource_id: id }: z.infer<typeof Status> = await rest
        .request({ path: STATUS_PATH, query: { path }, schema: Status, signal })
        .catch((error: unknown) => {
          if (error instanceof CausewayError && error.code === 'not_found') return {};
          throw error;
        });
      if (type === undefined) return undefined;
      if (type === 'DASHBOARD' && id !== undefined) return id;
      throw new CausewayError('conflict', `${path} already exists and is not a dashboard.`, {
        remedy: 'Choose another name with --name, or another folder with --folder.',
      });
    },
    get: async (id: string, signal?: AbortSignal): Promise<DashboardRecord> => {
      const found = await rest.request({ path: `${PATH}/${encodeURIComponent(id)}`, schema: Dashboard, signal });
      const { dashboard_id, etag, serialized_dashboard: content = '', warehouse_id: warehouseId } = found;
      return { id: dashboard_id, etag, content, warehouseId };
    },
    /** @returns its id */
    create: async (
      { folder, name, content, warehouseId }: DashboardFields & { folder: string; name: string },
      signal?: AbortSignal,
    ): Promise<string> => {
      const body = {
        display_name: name,
        parent_path: folder,
        serialized_dashboard: content,
        warehouse_id: warehouseId,
      };
      return (await rest.request({ method: 'POST', path: PATH, body, schema: Dashboard, signal })).dashboard_id;
    },
    /** Not repeated after a lost answer: the version would be an older one then. */
    update: async (
      id: string,
      { content, warehouseId }: DashboardFields,
      etag: string | undefined,
      signal?: AbortSignal,
    ): Promise<void> => {
      const body = { serialized_dashboard: content, warehouse_id: warehouseId, ...(etag && { etag }) };
      await rest.request({
        method: 'PATCH',
        path: `${PATH}/${encodeURIComponent(id)}`,
        body,
        schema: Dashboard,
        signal,
      });
    },
    /** Shows the present version to viewers, who need rights of their own for what it reads. */
    publish: async (id: string, warehouseId: string, signal?: AbortSignal): Promise<void> => {
      const path = `${PATH}/${encodeURIComponent(id)}/published`;
      const body = { embed_credentials: false, warehouse_id: warehouseId };
      await rest.request({ method: 'POST', path, body, schema: Published, idempotent: true, signal });
    },
    /** Whether viewers see a version of it, and with whose rights; undefined if it is not published. */
    published: async (id: string, signal?: AbortSignal): Promise<{ embedsCredentials: boolean } | undefined> => {
      const path = `${PATH}/${encodeURIComponent(id)}/published`;
      try {
        const { embed_credentials } = await rest.request({ path, schema: Published, signal });
        return { embedsCredentials: embed_credentials === true };
      } catch (error) {
        if (error instanceof CausewayError && error.code === 'not_found') return undefined;
        throw error;
      }
    },
  };
}

/** Where a dashboard is in the workspace's tree. */
export function dashboardPath(folder: string, name: string): string {
  return `${folder === '/' ? '' : folder}/${name}${EXTENSION}`;
}
