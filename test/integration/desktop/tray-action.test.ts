import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/app/causeway.ts';
import { DesktopModel } from '../../../main/desktop/model.ts';
import { createTrayActions, type TrayAction } from '../../../main/desktop/tray/tray-action.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';

/** What the tray's actions do to a real workspace, and what a user learns of those that fail. */

let workspace: EmbeddedWorkspace;
let home: OwnHome;
let causeway: Causeway;
let model: DesktopModel;
let act: (action: TrayAction) => Promise<void>;
let told: string[];
let asked: string[];
let agrees: boolean;
let signingIn: (server: string) => void;
let copying: () => void;
let looking: () => void;

beforeEach(async () => {
  workspace = await startWorkspace();
  home = await ownHome(
    `[ana]\nhost = ${workspace.host}\ntoken = ${workspace.users[0]?.token}\n[__settings__]\ndefault_profile = ana\n`,
  );
  causeway = createCauseway({ env: home.env });
  model = new DesktopModel(causeway);
  told = [];
  asked = [];
  agrees = true;
  signingIn = () => {};
  copying = () => {};
  looking = () => {};
  act = createTrayActions(model, {
    open: (screen, item) => told.push(`opens ${screen}${item ? `/${item}` : ''}`),
    quit: () => {},
    ask: async ({ message }) => {
      asked.push(message);
      return agrees;
    },
    tell: (title, problem, screen) => told.push(`${screen}: ${title} (${problem.code})`),
    reviewCalls: () => void told.push('shows the calls that wait'),
    answerCall: async ({ id, answer }) => void told.push(`${answer} ${id}`),
    signInToService: async (server) => signingIn(server),
    copyDiagnostics: async () => copying(),
    updates: { check: async () => looking(), download: async () => {}, install: async () => {} },
    confirm: (title, message, screen) => told.push(`${screen}: ${title}: ${message}`),
  });
  await model.start(undefined);
});

afterEach(async () => {
  await model.close();
  await causeway.close();
  await workspace.close();
  await home.remove();
});

const idOf = (name: string) => workspace.state.warehouses.find((each) => each.name === name)?.id ?? '';
const stateOf = (name: string) => workspace.state.warehouses.find((each) => each.name === name)?.state;
const mine = () => workspace.state.overrides.get(workspace.users[0]?.id ?? '');
const named = (name: string) => ({ profile: 'ana', warehouseId: idOf(name), name });

describe('a tray action', () => {
  it('offers usable warehouses, running ones first', () => {
    expect(model.state.choices?.warehouses[0]).toMatchObject({ name: 'Shared analytics', state: 'RUNNING' });
  });

  it('chooses a warehouse, the last selected, and the workspace default', async () => {
    await act({ do: 'use-warehouse', ...named('Data science') });
    expect(mine()).toMatchObject({ type: 'CUSTOM', warehouseId: idOf('Data science') });
    await act({ do: 'use-last-selected', profile: 'ana' });
    expect(mine()).toMatchObject({ type: 'LAST_SELECTED' });
    await act({ do: 'use-workspace-default', profile: 'ana' });
    expect(mine()).toBeUndefined();
    expect(told).toEqual([]);
  });

  it('starts a warehouse at once, and stops one only after a confirmation', async () => {
    await act({ do: 'start-warehouse', ...named('Starter Warehouse') });
    expect(stateOf('Starter Warehouse')).toMatch(/STARTING|RUNNING/);
    agrees = false;
    await act({ do: 'stop-warehouse', ...named('Shared analytics') });
    expect(stateOf('Shared analytics')).toBe('RUNNING');
    agrees = true;
    copying = () => {};
    looking = () => {};
    await act({ do: 'stop-warehouse', ...named('Shared analytics') });
    expect(stateOf('Shared analytics')).toMatch(/STOPPING|STOPPED/);
    expect(asked).toEqual(['Stop Shared analytics?', 'Stop Shared analytics?']);
  });

  it('is reported when it fails, and the failure stays until an action succeeds', async () => {
    await act({ do: 'use-warehouse', profile: 'ana', warehouseId: 'no-such', name: 'Gone' });
    expect(told).toEqual([expect.stringMatching(/^warehouse: Could not switch to Gone \(/)]);
    expect(model.state.failedAction?.title).toBe('Could not switch to Gone');
    await act({ do: 'use-warehouse', ...named('Data science') });
    expect(model.state.failedAction).toBeNull();
  });

  it('changes nothing if its menu was drawn for another profile', async () => {
    await act({ do: 'use-warehouse', ...named('Data science'), profile: 'ben' });
    expect(told).toEqual([expect.stringContaining('(conflict)')]);
    expect(mine()).toBeUndefined();
  });
});

describe('the checks', () => {
  it('leave their results in the state, and a change clears them', async () => {
    await model.verify('ana', {});
    expect(model.state.verification).toMatchObject({
      running: false,
      checks: [{ name: 'record' }, { name: 'resolver', status: 'pass' }],
    });
    await model.change('ana', (warehouses) =>
      warehouses.setOverride('me', { type: 'CUSTOM', warehouse_id: idOf('Data science') }),
    );
    expect(model.state.verification).toBeNull();
  });

  it('run one at a time', async () => {
    const first = model.verify('ana', {});
    await expect(model.verify('ana', {})).rejects.toMatchObject({ code: 'conflict' });
    await first;
  });

  it('restart what they have stopped before the application quits', async () => {
    // The session's own three requests come before anything is stopped; the query is the fourth.
    const effect = { kind: 'stall', milliseconds: 60_000 } as const;
    workspace.faults.add({ path: '/api/2.0/mcp/sql', method: 'POST', effect, skip: 3, times: 1 });
    const querying = new Promise<void>((resolve) =>
      model.onChange(({ verification }) => {
        if (verification?.checks.some(({ words }) => words.startsWith('Sending'))) resolve();
      }),
    );
    const running = workspace.state.warehouses.filter(({ state }) => state === 'RUNNING').map(({ id }) => id);
    const verifying = model.verify('ana', { endToEnd: { mayStop: new Set(running) } });
    await querying;
    await model.close();
    await verifying;
    expect(stateOf('Shared analytics')).toMatch(/STARTING|RUNNING/);
  });
});

describe('another tray action', () => {
  it('copies the diagnostics and says so, or why it could not', async () => {
    await act({ do: 'copy-diagnostics' });
    expect(told).toEqual([expect.stringMatching(/^diagnostics: Support report copied: Paste it/)]);
    copying = () => {
      throw new CausewayError('file_not_writable', 'No.');
    };
    await act({ do: 'copy-diagnostics' });
    expect(told.at(-1)).toBe('warehouse: The support report was not copied (file_not_writable)');
  });

  it('checks for updates and reports the result', async () => {
    looking = () => model.show({ update: { status: 'idle', checkedAt: 1 } });
    await act({ do: 'check-for-updates' });
    looking = () => model.show({ update: { status: 'available', version: '2.0.0' } });
    await act({ do: 'check-for-updates' });
    looking = () => model.show({ update: { status: 'ready', version: '2.0.0' } });
    await act({ do: 'check-for-updates' });
    looking = () =>
      model.show({ update: { status: 'failed', problem: { code: 'unavailable', message: '', remedy: null } } });
    await act({ do: 'check-for-updates' });
    expect(told).toEqual([
      'settings: Updates: You have the latest version.',
      'settings: Updates: Version 2.0.0 is available.',
      'settings: Updates: Version 2.0.0 is ready. Restart Causeway to use it.',
      'settings: Updates (unavailable)',
    ]);
  });

  it.each([
    ['cannot update itself', { status: 'not-possible-here', reason: 'package-manager' }],
    ['is downloading an update', { status: 'downloading', version: '2.0.0', percent: 3 }],
  ] as const)('opens the settings instead of a check if the application %s', async (_what, update) => {
    looking = () => model.show({ update });
    await act({ do: 'check-for-updates' });
    expect(told).toEqual(['opens settings/updates']);
  });
});
