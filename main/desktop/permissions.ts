import type { permissionRequests } from '../../preload/contract/permissions.ts';
import { askedScope, type ScopeNames } from '../app/permissions.ts';
import { permissionsInfo } from '../app/permissions-info.ts';
import { changePermissions, readPermissions } from '../permissions/change.ts';
import { currentPolicy } from '../permissions/policy/system-policy.ts';
import type { DesktopContext, HandlersOf } from './context.ts';

/** Answers the requests about what AI clients may do. */
export function permissionHandlers(context: DesktopContext): HandlersOf<typeof permissionRequests> {
  const { permissions: file, servers, emit, onClose } = context;
  onClose(file.subscribe(() => emit('permissionsChanged', {})));
  // One that cannot be moved goes on being read under its old name.
  file.move().catch(() => {});
  const scopeOf = (names: ScopeNames) => askedScope(names, file, (server) => servers.addressOf(server));
  const toolsOf = async ({ server }: ScopeNames) => (server === null ? [] : servers.listedTools(server));
  return {
    getPermissions: async (names) => {
      const [scope, tools] = [await scopeOf(names), await toolsOf(names)];
      return permissionsInfo(await currentPolicy(), await readPermissions(file), scope, tools);
    },
    changePermissions: async ({ readOnly, newTools, tool, ...names }) => {
      const edit = { readOnly, newTools, ...(tool ? { [tool.state]: [tool.name] } : {}) };
      await changePermissions(file, await scopeOf(names), edit, { by: 'window', tools: await toolsOf(names) });
    },
    clearPermissions: async (names) => {
      await changePermissions(file, await scopeOf(names), 'remove', { by: 'window' });
    },
  };
}
