import { pathOfRow, serverAt } from '../../preload/contract/server-kinds.ts';

/** The path of a service by its name, `catalog.schema.service`. */
export function servicePath(name: string): string {
  return pathOfRow('service', [name]);
}

const SERVICE_NAME = /^[^./]+\.[^./]+\.[^./]+$/;

/** The service that a server's path names; undefined for every other server. */
export function serviceOf(path: string): string | undefined {
  const { shown, segment } = serverAt(path);
  return shown === 'service' && SERVICE_NAME.test(segment) ? segment : undefined;
}

/** What the services of `system.ai` are or lead to, by the name that people know. */
const TITLES: Record<string, string> = {
  'system.ai.dbsql': 'Databricks SQL',
  'system.ai.genie_one_mcp': 'Genie One',
  'system.ai.web_search': 'Web search',
  'system.ai.sandbox': 'Sandbox',
  'system.ai.github': 'GitHub',
  'system.ai.slack': 'Slack',
  'system.ai.atlassian': 'Atlassian',
  'system.ai.google_drive': 'Google Drive',
  'system.ai.google_calendar': 'Google Calendar',
  'system.ai.gmail': 'Gmail',
  'system.ai.microsoft_365': 'Microsoft 365',
};

/** The display name of the system behind a service. */
export function serviceTitle(service: string): string {
  return TITLES[service] ?? service;
}
