import { z } from 'zod';
import { sentences } from '../platform/errors.ts';
import { WorkspaceError } from './errors.ts';
import type { Rest } from './rest.ts';

const PATH = '/api/2.1/unity-catalog';

/** The kinds of connection with a credential for each user; others need no sign-in. */
const SIGN_IN_KINDS: ReadonlySet<string | undefined> = new Set([
  'CONNECTION_HTTP_OAUTH_U2M_MAPPING',
  'CONNECTION_HTTP_DCR',
  'CONNECTION_SLACK_OAUTH_U2M_MAPPING',
]);

const Service = z.looseObject({
  id: z.string().optional(),
  config: z
    .looseObject({
      source_connection: z
        .looseObject({ name: z.string().optional(), securable_kind: z.string().optional() })
        .optional(),
    })
    .optional(),
});
const Provisioning = z.looseObject({ provisioning_info: z.looseObject({ state: z.string().optional() }).optional() });
const OfConnection = z.looseObject({ connection_user_credential: Provisioning.optional() });
const Nothing = z.unknown();

/** The connection of a service that each user signs in to by themselves. */
export interface ServiceConnection {
  /** `catalog.schema.service`. */
  service: string;
  /** The service's id; only its own record has it. */
  serviceId: string | undefined;
  /** The connection's name, such as `system.ai.github`. */
  connection: string | undefined;
}

/**
 * MCP services (`/ai-gateway/mcp-services/…`) and the credentials of users for the connections behind them. Two forms of the credentials' API are known, neither of them documented: below the
 * service, and below its connection. A workspace may have one alone, so both are read before a user counts as signed out.
 */
export function mcpServicesApi(rest: Rest) {
  const pathOf = (service: string) => `${PATH}/mcp-services/${encodeURIComponent(service)}`;

  async function ofService(service: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const found = await rest.request({ path: `${pathOf(service)}/user-credentials`, schema: Provisioning, signal });
    return found.provisioning_info?.state;
  }

  async function ofConnection(
    { connection, serviceId }: ServiceConnection,
    userName: string,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const found = await rest.request({
      path: `${PATH}/connections/${encodeURIComponent(connection ?? '')}/user-credentials/${encodeURIComponent(userName)}`,
      query: { 'dependent.mcp_service.id': serviceId },
      schema: OfConnection,
      signal,
    });
    return found.connection_user_credential?.provisioning_info?.state;
  }

  return {
    /** Undefined if no sign-in is needed. @throws {WorkspaceError} if that cannot be read */
    signInConnection: async (service: string, signal?: AbortSignal): Promise<ServiceConnection | undefined> => {
      const found = rest.request({ path: pathOf(service), schema: Service, signal });
      const { id, config } = await found.catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
        // One without EXECUTE may look missing, too.
        const message = sentences(error.message, `There is no service "${service}" that you can see.`);
        throw error.rephrased(error.code, message, error.remedy);
      });
      const source = config?.source_connection;
      if (!SIGN_IN_KINDS.has(source?.securable_kind)) return undefined;
      return { service, serviceId: id, connection: source?.name?.replace(/^connections\//, '') };
    },
    /** Whether this user has a credential that works. @throws {WorkspaceError} where neither form of the API says */
    hasCredential: async (connection: ServiceConnection, userName: string, signal?: AbortSignal): Promise<boolean> => {
      const asked = [
        () => ofService(connection.service, signal),
        ...(connection.connection === undefined ? [] : [() => ofConnection(connection, userName, signal)]),
      ];
      let failure: unknown;
      let isAbsent = false;
      for (const ask of asked) {
        try {
          if ((await ask()) === 'ACTIVE') return true;
          isAbsent = true;
        } catch (error) {
          if (isNotFound(error)) isAbsent = true;
          else failure = error;
        }
      }
      if (isAbsent) return false;
      throw failure;
    },
    /** Forgets the caller's credential. Tells whether there was one. */
    forgetCredential: async (service: string, signal?: AbortSignal): Promise<boolean> => {
      try {
        const path = `${pathOf(service)}/user-credentials`;
        await rest.request({ method: 'DELETE', path, schema: Nothing, idempotent: true, signal });
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    },
  };
}

/** A missing record; a missing API has another code. */
function isNotFound(error: unknown): error is WorkspaceError {
  return error instanceof WorkspaceError && error.code === 'not_found';
}
