import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endedCall } from '../ended-call.ts';
import { useWindow, whyNotHere } from './shown-window.ts';

const FUNCTIONS = '/api/2.0/mcp/functions/main/default';
const PROBLEM = {
  code: 'unavailable',
  message: 'The workspace at acme-production-europe-west.cloud.databricks.com is not available.',
  remedy: 'Try again in a minute. If it keeps happening, ask a workspace admin.',
};

/** What each screen and dialog shows where its own request fails, besides what the tests of the screens look at. */
describe.skipIf(whyNotHere)('failed requests in the window', { timeout: 180_000 }, () => {
  const { shown, button, inspect, go } = useWindow();

  const role = (...wanted: Parameters<typeof shown.page.getByRole>) => shown.page.getByRole(...wanted);
  const press = (name: string | RegExp) => role('button', { name, exact: typeof name === 'string' }).click();
  const open = async (screen: string, name: string | RegExp) => {
    await go(screen);
    await press(name);
  };
  const tool = async () => {
    await go('Servers');
    await role('link', { name: 'main.default', exact: true }).click();
    await role('heading', { level: 1, name: 'main.default' }).waitFor();
  };
  const inAccountMenu = async (account: string, item: string) => {
    await open('Accounts', `More actions for ${account}`);
    await role('menuitem', { name: item }).click();
  };
  const toRename = async () => {
    await inAccountMenu('ben', 'Edit…');
    await role('textbox', { name: 'Name' }).fill('other');
    await press('Save changes');
  };
  const toRemove = async () => {
    await inAccountMenu('ben', 'Remove…');
    await press('Remove account');
  };
  const toSetForSomebody = async () => {
    await open('Overrides', 'Set for a user');
    await role('textbox', { name: 'Name, email address or user ID' }).fill('ben');
    await press('Find user');
    await role('radio', { name: /^Data science/ }).check();
    await press('Change override');
  };
  const toImport = async () => {
    await open('Overrides', 'More actions');
    await role('menuitem', { name: 'Import', exact: true }).click();
  };
  const toUseApplication = async () => {
    await inAccountMenu('oauth', 'OAuth application…');
    await role('textbox', { name: 'Client ID' }).fill('ours');
    await press('Use this application');
  };
  const toWorkspaceDefault = async () => {
    await press('More actions');
    await role('menuitem', { name: 'Change workspace default' }).click();
  };
  const turnOn = async () => {
    await go('AI clients');
    await role('switch', { name: 'main.default in Cursor' }).press('Space');
  };

  const FAILURES: [what: string, request: string, lead: () => Promise<unknown>][] = [
    ['the list of warehouses', 'listWarehouses', () => press('Change warehouse')],
    [
      'the choice of a warehouse',
      'setOverride',
      async () => {
        await press('Change warehouse');
        await role('radio', { name: /^Data science/ }).check();
        await press('Use this warehouse');
      },
    ],
    [
      'a change of the override',
      'setOverride',
      async () => {
        await press('More actions');
        await shown.page.getByRole('menuitem', { name: 'Follow my last selection' }).click();
        await press('Follow my last selection');
      },
    ],
    ['the workspace default', 'workspaceDefault', toWorkspaceDefault],
    [
      'a change of the workspace default',
      'setWorkspaceDefault',
      async () => {
        await toWorkspaceDefault();
        await press('Clear default');
        const question = role('dialog', { name: 'Clear the workspace default?' });
        await question.getByRole('button', { name: 'Clear default' }).click();
      },
    ],
    ['what the third check would stop', 'wouldStop', () => press('From a cold start…')],
    ['the checks of the warehouse', 'verify', () => press('Verify')],
    [
      'the removal of a server',
      'removeServer',
      async () => {
        await tool();
        await press('More actions for main.default');
        await role('menuitem', { name: 'Remove server' }).click();
        await press('Remove server');
      },
    ],
    ['the list of tools', 'listTools', tool],
    [
      'a server that is added',
      'addServer',
      async () => {
        await open('Servers', 'Add server');
        await role('radio', { name: /^Databricks SQL \(every workspace\)/ }).check();
        await role('dialog').getByRole('button', { name: 'Add server', exact: true }).click();
      },
    ],
    [
      'the call of a tool',
      'tryTool',
      async () => {
        await tool();
        await press('Try main__default__initials');
        await role('textbox', { name: 'full_name' }).fill('Ada Lovelace');
        await press('Run');
      },
    ],
    ['the preview of an entry', 'previewClientChange', turnOn],
    [
      'the writing of an entry',
      'changeClients',
      async () => {
        await turnOn();
        await press('Add');
      },
    ],
    [
      'the list of backups',
      'listClientBackups',
      async () => {
        await open('AI clients', 'More actions');
        await role('menuitem', { name: 'Backups…' }).click();
      },
    ],
    ['the JSON for other clients', 'clientJson', () => go('AI clients')],
    [
      'the clearing of the calls',
      'deleteCalls',
      async () => {
        await open('Activity', 'More actions for calls');
        await role('menuitem', { name: 'Clear calls…' }).click();
        await press('Clear calls');
      },
    ],
    [
      'the export of the calls',
      'exportActivity',
      async () => {
        await open('Activity', 'More actions for calls');
        await role('menuitem', { name: 'Export calls…' }).click();
      },
    ],
    [
      'the start of a recording',
      'recordContents',
      async () => {
        await go('Activity');
        await role('switch', { name: 'Record request and response contents' }).press('Space');
        await press('Record contents');
      },
    ],
    ['the list of everybody', 'readOverrides', () => go('Overrides')],
    ['an override of somebody', 'setOverrideOf', toSetForSomebody],
    ['an import', 'planImport', toImport],
    ['another name for a profile', 'renameAccount', toRename],
    ['the removal of a profile', 'removeAccount', toRemove],
    ['the OAuth application', 'getOAuthApplication', () => inAccountMenu('oauth', 'OAuth application…')],
    ['another OAuth application', 'setOAuthApplication', toUseApplication],
    ['the settings', 'getSettings', () => go('Settings')],
    [
      'the start at login',
      'setStartAtLogin',
      async () => {
        await go('Settings');
        await role('switch', { name: 'Start at login' }).press('Space');
      },
    ],
    ['the diagnosis', 'getDiagnosis', () => go('Diagnostics')],
    ['the report', 'previewDiagnostics', () => open('Diagnostics', 'Preview')],
    ['the copy of the report', 'copyDiagnostics', () => open('Diagnostics', 'Copy')],
  ];

  it.each(FAILURES)('the window says why %s failed and what to do', async (_, request, lead) => {
    await mkdir(join(shown.home, '.cursor'), { recursive: true });
    await writeFile(join(shown.home, '.cursor/mcp.json'), '{}');
    const servers = [{ name: 'functions', profile: 'ana', kind: 'functions', path: FUNCTIONS }];
    await writeFile(join(shown.home, 'causeway/config/servers.json'), JSON.stringify({ servers }));
    shown.server.activity.add(
      endedCall({
        clientName: 'cursor',
        profile: 'ana',
        path: FUNCTIONS,
        method: 'tools/list',
        tool: null,
        startedAt: Date.now(),
        durationMs: 5,
        outcome: 'answered',
      }),
      null,
    );
    await button('Change warehouse').waitFor();
    await expect.poll(() => shown.server.model.state.servers[0]?.state.status).toBe('ready');
    await shown.page.route(`**/requests/causeway:${request}`, (route) =>
      route.fulfill({ json: { ok: false, problem: PROBLEM } }),
    );
    await lead();
    await role('alert').filter({ hasText: PROBLEM.message }).filter({ hasText: PROBLEM.remedy }).waitFor();
    await inspect(`failed-${request}`);
  });

  it('names a pending sign-in, and shows its address if no browser opens', async () => {
    const host = 'https://acme.cloud.databricks.com';
    const address = `${host}/oidc/v1/authorize?state=${'x'.repeat(200)}`;
    const state = {
      ...shown.server.model.state,
      otherSignIns: [{ profile: 'oauth', step: 'waiting-for-browser', host, user: null, address }],
    };
    await shown.page.route('**/requests/causeway:getState', (route) =>
      route.fulfill({ json: { ok: true, value: state } }),
    );
    await shown.page.reload();
    await shown.page.getByText('Signing in to oauth').waitFor();
    await inspect('other-sign-in');
    await go('Accounts');
    await shown.page.getByText('Your browser could not be opened.').waitFor();
    await inspect('accounts-no-browser');
    const warehouse = { status: 'signing-in', step: 'waiting-for-browser', host, user: 'ana@example.com', address };
    await shown.page.unroute('**/requests/causeway:getState');
    await shown.page.route('**/requests/causeway:getState', (route) =>
      route.fulfill({ json: { ok: true, value: { ...state, warehouse, otherSignIns: [] } } }),
    );
    await go('Warehouse');
    await shown.page.reload();
    await shown.page.getByText('Your browser could not be opened. Open this link in a browser.').waitFor();
    await inspect('signing-in-no-browser');
    await button('Cancel').waitFor();
  });

  it('the page of a removed server says that it is gone', async () => {
    await shown.page.goto(`${shown.server.url}#servers/gone`);
    await shown.page.getByText('“gone” is no longer one of your servers.').waitFor();
    await inspect('server-gone');
  });
});
