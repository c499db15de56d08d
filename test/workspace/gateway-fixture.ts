import type { App, CatalogConnection, McpService, PlainTool } from './model.ts';

/** The services, their connections and the apps of the workspace that tests and the demo find. */

const GITHUB: PlainTool[] = [
  reads('search_code', 'Finds code in repositories.', 'query'),
  reads('get_issue', 'Reads an issue.', 'repository', 'number'),
  { ...tool('create_issue', 'Opens an issue.', 'repository', 'title'), readOnly: false, destructive: false },
  { ...tool('delete_branch', 'Deletes a branch.', 'repository', 'branch'), readOnly: false, destructive: true },
  tool('run_workflow', 'Starts a workflow; says nothing of what it does.', 'repository', 'workflow'),
];

const SLACK: PlainTool[] = [
  reads('search_messages', 'Finds messages.', 'query'),
  { ...tool('post_message', 'Posts a message.', 'channel', 'text'), readOnly: false, destructive: false },
  { ...tool('delete_message', 'Deletes a message.', 'channel', 'message'), readOnly: false, destructive: true },
];

const FILES: PlainTool[] = [
  reads('search_files', 'Finds files.', 'query'),
  { ...tool('trash_file', 'Moves a file to the trash.', 'file'), readOnly: false, destructive: true },
];

const TICKETS: PlainTool[] = [
  reads('ticket_search', 'Finds tickets of the support desk.', 'words'),
  reads('ticket_read', 'Reads a ticket.', 'ticket'),
  { ...tool('ticket_close', 'Closes a ticket.', 'ticket'), readOnly: false, destructive: true },
  { ...tool('customer_export', 'Exports every customer.', 'format'), readOnly: true },
];

const STOCK: PlainTool[] = [
  reads('stock_level', 'How many of an article there are.', 'article'),
  { ...tool('order_article', 'Orders an article.', 'article'), readOnly: false, destructive: false },
];

function tool(name: string, description: string, ...parameters: string[]): PlainTool {
  return { name, description, parameters };
}

function reads(name: string, description: string, ...parameters: string[]): PlainTool {
  return { ...tool(name, description, ...parameters), readOnly: true };
}

/** One of each kind that each user signs in to, one with a credential that all share, and one that is not ready. */
export function fixtureServiceConnections(): CatalogConnection[] {
  return [
    connection('system.ai.github', 'CONNECTION_HTTP_OAUTH_U2M_MAPPING', GITHUB),
    connection('system.ai.slack', 'CONNECTION_SLACK_OAUTH_U2M_MAPPING', SLACK),
    connection('system.ai.google_drive', 'CONNECTION_HTTP_DCR', FILES),
    connection('main.support.tickets', 'CONNECTION_HTTP_BEARER', TICKETS),
    { ...connection('main.support.archive', 'CONNECTION_HTTP_BEARER', TICKETS), status: 'FAILED' },
  ];
}

function connection(name: string, securableKind: string, tools: PlainTool[]): CatalogConnection {
  return { name, connectionType: 'HTTP', mcp: true, securableKind, tools };
}

/** `main.support.tickets` offers what its selectors name; Chloe may not use Slack. */
export function fixtureMcpServices(): McpService[] {
  return [
    service('system.ai.dbsql', 'SQL on the warehouses of this workspace.', { serves: 'sql' }),
    service('system.ai.genie_one_mcp', 'Questions about the data of this workspace.', { serves: 'genie-one' }),
    service('system.ai.web_search', 'Searches the web.', { serves: [reads('web_search', 'Searches.', 'query')] }),
    service('system.ai.github', 'Repositories, issues and code on GitHub.', { connection: 'system.ai.github' }),
    service('system.ai.slack', 'Messages on Slack.', {
      connection: 'system.ai.slack',
      grantedTo: new Set(['ana@example.com', 'analysts']),
    }),
    service('system.ai.google_drive', 'Files on Google Drive.', { connection: 'system.ai.google_drive' }),
    service('main.support.tickets', 'Tickets of the support desk.', {
      connection: 'main.support.tickets',
      includeToolSelectors: ['ticket_*'],
    }),
    service('main.support.archive', 'Old tickets, on a connection that is not active.', {
      connection: 'main.support.archive',
    }),
  ];
}

function service(name: string, comment: string, more: Partial<McpService>): McpService {
  return { name: `mcp-services/${name}`, comment, ...more };
}

/** Apps that are well, one that is stopped, one that has crashed, one that few may use, and one that is no MCP server. */
export function fixtureApps(): App[] {
  return [
    app('mcp-inventory', 'Articles in stock.', { tools: STOCK }),
    app('mcp-forecast', 'Forecasts of demand.', {
      behavior: 'slash',
      tools: [reads('forecast', 'Forecasts.', 'week')],
    }),
    app('mcp-reports', 'Reports; stopped at night.', {
      appState: 'UNAVAILABLE',
      computeState: 'STOPPED',
      canManage: new Set(['ben@example.com']),
      tools: [reads('report', 'Gives a report.', 'name')],
    }),
    app('mcp-broken', 'Its last deployment failed.', { appState: 'CRASHED' }),
    app('mcp-payroll', 'Salaries. Only for finance.', { canUse: new Set(['finance']) }),
    app('sales-dashboard', 'A page for people.', { behavior: 'page' }),
  ];
}

/** Apps that a token must not reach, or not twice: add them to the others where a test is about that. */
export function hostileApps(): App[] {
  return [
    app('mcp-wanderer', 'Sends its callers to another host.', { behavior: 'redirects' }),
    app('mcp-parrot', 'Answers with what it was sent, the token too.', { behavior: 'echoes' }),
    app('mcp-stranger', 'Of another tenant.', { listed: false, tools: STOCK }),
  ];
}

function app(name: string, description: string, more: Partial<App>): App {
  return {
    name,
    description,
    appState: 'RUNNING',
    computeState: 'ACTIVE',
    canUse: new Set(['users']),
    canManage: new Set(),
    tools: [],
    listed: true,
    behavior: 'serves',
    ...more,
  };
}
