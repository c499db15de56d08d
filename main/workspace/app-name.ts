/**
 * How a server's path names a Databricks App: `/apps/NAME` and the path at the app's own host. Nothing is served at that path
 * of the workspace.
 */
const APP_PATH = /^\/apps\/([a-z0-9][a-z0-9-]*)(\/[^#]*)$/;

/** An app, and where at its host the MCP server is. */
export interface AppName {
  name: string;
  path: string;
}

/** The app that a server's path names; undefined for every server of the workspace itself. */
export function appOf(path: string): AppName | undefined {
  const [, name, inside] = APP_PATH.exec(path) ?? [];
  return name === undefined || inside === undefined ? undefined : { name, path: inside };
}

/** Where Databricks hosts apps. For words only: no address gets a token for what it looks like. */
const USUAL_HOST = /\.databricksapps\.com$/;

/** Whether an app's address looks like one of Databricks Apps. */
export function isUsualAppAddress(origin: string): boolean {
  return USUAL_HOST.test(new URL(origin).hostname);
}
