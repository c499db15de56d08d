/** The path of a service by its name, `catalog.schema.service`. */
export function servicePath(name: string): string {
  return `/ai-gateway/mcp-services/${encodeURIComponent(name)}`;
}

/** Where MCP services are; a name is one segment of the path. */
const SERVICE_PATH = /^\/ai-gateway\/mcp-services\/([^/?#]+)/;
const SERVICE_NAME = /^[^./]+\.[^./]+\.[^./]+$/;

/** The service that a server's path names; undefined for every other server. */
export function serviceOf(path: string): string | undefined {
  const [, segment] = SERVICE_PATH.exec(path) ?? [];
  if (segment === undefined) return undefined;
  try {
    const name = decodeURIComponent(segment);
    return SERVICE_NAME.test(name) ? name : undefined;
  } catch {
    // Malformed percent-encoding names no service.
    return undefined;
  }
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
