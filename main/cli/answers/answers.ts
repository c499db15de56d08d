import type { z } from 'zod';
import * as accounts from './accounts.ts';
import * as activity from './activity.ts';
import * as clients from './clients.ts';
import * as computer from './computer.ts';
import * as permissions from './permissions.ts';
import * as servers from './servers.ts';
import * as settings from './settings.ts';
import * as warehouses from './warehouses.ts';

/**
 * What each command prints with `--json`, by its name. A command of the Databricks CLI is not here: it prints what that one prints.
 * Those that print a line for each change have a second row, whose name ends with `--watch` or `--follow`.
 */
export const ANSWERS = {
  up: servers.setUp,
  status: computer.status,
  'status --watch': computer.status,
  diagnose: computer.diagnosis,
  activity: activity.activity,
  'activity --follow': activity.call,
  'activity statement': activity.shownStatement,
  'activity cancel': activity.canceledStatement,
  'activity delete': activity.deletedCalls,
  login: accounts.login,
  logout: accounts.logout,
  profiles: accounts.profiles,
  whoami: accounts.whoami,
  warehouse: warehouses.shownWarehouse,
  'warehouse set': warehouses.overrideAnswer,
  'warehouse last-selected': warehouses.overrideAnswer,
  'warehouse clear': warehouses.overrideAnswer,
  'warehouse list': warehouses.warehouseList,
  'warehouse start': warehouses.power,
  'warehouse stop': warehouses.power,
  'warehouse verify': warehouses.verification,
  'warehouse for': warehouses.overrideAnswer,
  'warehouse default': warehouses.defaultAnswer,
  'warehouse all': warehouses.overrideList,
  'warehouse import': warehouses.bulkAnswer,
  'warehouse assign': warehouses.bulkAnswer,
  'warehouse journals': warehouses.journals,
  'warehouse export': warehouses.overrideList,
  servers: servers.serverList,
  'servers list': servers.serverList,
  'servers browse': servers.offeredServers,
  'servers add': servers.addedServer,
  'servers set': servers.changedServer,
  'servers remove': servers.removedServers,
  'servers move': servers.movedServer,
  'servers test': servers.testedServers,
  'servers start': servers.startedApp,
  'servers sign-in': servers.serviceSignIn,
  'servers sign-out': servers.serviceSignIn,
  clients: clients.clientList,
  'clients list': clients.clientList,
  'clients test': clients.clientTests,
  'clients diff': clients.entryChanges,
  'clients json': clients.entriesToPaste,
  'clients add': clients.entryChanges,
  'clients remove': clients.entryChanges,
  'clients repair': clients.entryChanges,
  'clients backups': clients.backups,
  'clients restore': clients.restored,
  settings: settings.settingList,
  'settings list': settings.settingList,
  'settings get': settings.oneSetting,
  'settings set': settings.settingList,
  'settings reset': settings.settingList,
  'settings tags': settings.tagList,
  'settings tags list': settings.tagList,
  'settings tags set': settings.tagList,
  'settings tags clear': settings.tagList,
  permissions: permissions.permissionList,
  'permissions list': permissions.permissionList,
  'permissions set': permissions.changedPermission,
  'permissions clear': permissions.changedPermission,
  approvals: permissions.approvalList,
  'approvals list': permissions.approvalList,
  'approvals allow': permissions.answeredApproval,
  'approvals block': permissions.answeredApproval,
  'approvals extend': permissions.answeredApproval,
  'approvals revoke': permissions.endedAllowances,
  'approvals --watch': permissions.watchedApproval,
  'approvals list --watch': permissions.watchedApproval,
  'policy show': permissions.shownPolicy,
  'policy check': permissions.checkedPolicy,
  audit: permissions.audit,
  'audit on': permissions.audit,
  'audit off': permissions.audit,
  'dashboard install': permissions.installedDashboard,
  'dashboard show': permissions.shownDashboard,
  provision: computer.provisioned,
  'provision --export': computer.exported,
  uninstall: computer.uninstalled,
} as const satisfies Record<string, z.ZodObject>;

export type AnswerName = keyof typeof ANSWERS;

/** What a command prints. */
export type Answer<Name extends AnswerName> = z.output<(typeof ANSWERS)[Name]>;
