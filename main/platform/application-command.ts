/** An OAuth application as an account administrator is asked to create it. */
export interface WantedApplication {
  redirectUrl: string;
  scopes: readonly string[];
  /** Whether it is to have a secret; an application that people sign in through needs none. */
  confidential?: boolean;
}

const ACCESS_TOKEN_MINUTES = 60;
const REFRESH_TOKEN_MINUTES = 7 * 24 * 60;

/**
 * The Databricks CLI's command that creates an OAuth application, filled in. An account administrator runs it; the answer
 * holds the client id (`databricks account custom-app-integration create --help`).
 */
export function createApplicationCommand({ redirectUrl, scopes, confidential = false }: WantedApplication): string {
  const application = {
    name: 'causeway',
    redirect_urls: [redirectUrl],
    confidential,
    scopes: [...new Set([...scopes, 'offline_access'])],
    token_access_policy: {
      access_token_ttl_in_minutes: ACCESS_TOKEN_MINUTES,
      refresh_token_ttl_in_minutes: REFRESH_TOKEN_MINUTES,
    },
  };
  // Scopes are what somebody typed: a single quote in one would end the argument.
  return `databricks account custom-app-integration create --json '${JSON.stringify(application).replaceAll("'", '')}'`;
}
