/** An app, and where at its host the MCP server is. */
export interface AppName {
  name: string;
  path: string;
}

/** Where Databricks hosts apps. For words only: no address gets a token for what it looks like. */
const USUAL_HOST = /\.databricksapps\.com$/;

/** Whether an app's address looks like one of Databricks Apps. */
export function isUsualAppAddress(origin: string): boolean {
  return USUAL_HOST.test(new URL(origin).hostname);
}
