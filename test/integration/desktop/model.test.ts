import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/app/causeway.ts';
import { DesktopModel } from '../../../main/desktop/model.ts';
import type { DesktopState } from '../../../preload/contract.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../../workspace/workspace.ts';
import { type OwnHome, ownHome } from '../auth/own-home.ts';
import { type ScriptedBrowser, scriptedBrowser } from '../auth/scripted-browser.ts';

/** The desktop's one state, on the real services and an embedded workspace. */

let workspace: EmbeddedWorkspace;
let home: OwnHome;
let browser: ScriptedBrowser;
let causeway: Causeway;
let model: DesktopModel;
let seen: DesktopState[];

beforeEach(async () => {
  workspace = await startWorkspace();
  const [ana, ben] = workspace.users.map(({ token }) => token);
  const section = (name: string, token = '') => `[${name}]\nhost = ${workspace.host}\ntoken = ${token}\n`;
  home = await ownHome(
    `[__settings__]\ndefault_profile = ana\n${section('ana', ana)}${section('ben', ben)}[browser]\nhost = ${workspace.host}\n`,
  );
  browser = scriptedBrowser();
  causeway = createCauseway({ env: home.env, openBrowser: browser.open });
  model = new DesktopModel(causeway, () => 42);
  seen = [];
  model.onChange((state) => seen.push(state));
});

afterEach(async () => {
  await model.close();
  await causeway.close();
  await workspace.close();
  await home.remove();
});

const idOf = (name: string) => workspace.state.warehouses.find((each) => each.name === name)?.id ?? '';
const shownName = () =>
  model.state.warehouse.status === 'known' ? model.state.warehouse.effective.warehouse?.name : undefined;

describe('at start', () => {
  it('opens the default profile and reads its warehouse', async () => {
    await model.start(undefined);
    expect(model.state).toMatchObject({
      profiles: ['ana', 'ben', 'browser'],
      profile: 'ana',
      warehouse: { status: 'known', checkedAt: 42, checking: false, lastFailure: null },
    });
    expect(seen[0]?.warehouse.status).toBe('loading');
  });

  it('logs an error of its own, of which the window shows nothing', async () => {
    const fault = new TypeError('broken on purpose');
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const broken = new DesktopModel({ ...causeway, open: () => Promise.reject(fault) });
    await broken.start(undefined);
    expect(broken.state.warehouse).toMatchObject({ status: 'failed', failure: { problem: { code: 'internal' } } });
    expect(logged.mock.calls.flat()).toContain(fault);
    logged.mockRestore();
    await broken.close();
  });

  it('holds requests for a profile that is being opened', async () => {
    await model.start(undefined);
    const opening = model.open('ben');
    await expect(model.using('ben', async () => 'used')).resolves.toBe('used');
    await opening;
    await expect(model.using('ana', async () => 'used')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('reports why a profile could not be opened, whatever is requested', async () => {
    await model.start(undefined);
    await model.open('nobody');
    await expect(model.using('nobody', async () => 'used')).rejects.toMatchObject({ code: 'profile_not_found' });
  });

  it('opens the profile that was open last', async () => {
    await model.start('ben');
    expect(model.state.profile).toBe('ben');
  });

  it('forgets a profile that no longer exists', async () => {
    await model.start('gone');
    expect(model.state.profile).toBe('ana');
  });
});

describe('a change', () => {
  beforeEach(() => model.start(undefined));

  it('is read back before it counts as done', async () => {
    await model.change('ana', (warehouses) =>
      warehouses.setOverride('me', { type: 'CUSTOM', warehouse_id: idOf('Data science') }),
    );
    expect(shownName()).toBe('Data science');
  });

  it('is refused for a profile that is not the open one, and changes nothing', async () => {
    const change = model.change('ben', (warehouses) =>
      warehouses.setOverride('me', { type: 'CUSTOM', warehouse_id: idOf('Data science') }),
    );
    await expect(change).rejects.toMatchObject({ code: 'conflict' });
    expect(workspace.state.overrides.size).toBe(0);
  });

  it('is reported to its caller if it fails, and leaves the answer unchanged', async () => {
    const before = model.state;
    const change = model.change('ana', (warehouses) =>
      warehouses.setOverride('me', { type: 'CUSTOM', warehouse_id: 'no-such-warehouse' }),
    );
    await expect(change).rejects.toMatchObject({ name: 'CausewayError' });
    expect(model.state).toEqual(before);
  });
});

describe('another profile', () => {
  it('is shown even if the previous one answers late', async () => {
    const first = model.open('ana');
    const second = model.open('ben');
    await Promise.all([first, second]);
    expect(model.state).toMatchObject({
      profile: 'ben',
      warehouse: { effective: { user: { userName: 'ben@example.com' } } },
    });
    expect(seen.some(({ warehouse }) => warehouse.status === 'known' && warehouse.effective.profile === 'ana')).toBe(
      false,
    );
  });
});

describe('a check', () => {
  beforeEach(() => model.start(undefined));

  it('that fails keeps the answer and says why', async () => {
    await workspace.close();
    await model.checkAgain();
    expect(shownName()).toBe('Starter Warehouse');
    expect(model.state.warehouse).toMatchObject({
      checking: false,
      lastFailure: { problem: { code: 'unreachable' }, next: 'try-again' },
    });
    workspace = await startWorkspace();
  });

  it('is shared by all concurrent callers', async () => {
    seen.length = 0;
    await Promise.all([model.checkAgain(), model.checkAgain(), model.checkAgain()]);
    expect(seen.map(({ warehouse }) => warehouse.status === 'known' && warehouse.checking)).toEqual([true, false]);
  });

  it('runs when the user returns to the window, and finds what changed elsewhere', async () => {
    workspace.state.overrides.set(workspace.users[0]?.id ?? '', {
      userId: workspace.users[0]?.id ?? '',
      type: 'CUSTOM',
      warehouseId: idOf('Shared analytics'),
    });
    const changed = new Promise<void>((resolve) =>
      model.onChange(() => shownName() === 'Shared analytics' && resolve()),
    );
    model.watch(true);
    await changed;
  });
});

describe('a profile that signs in in the browser', () => {
  it('waits for the user, and then shows the warehouse', async () => {
    await model.open('browser');
    expect(model.state.warehouse).toMatchObject({
      status: 'failed',
      failure: { problem: { code: 'signed_out' }, next: 'sign-in' },
    });
    workspace.approve({ as: 'ben@example.com' });
    await model.signIn();
    expect(model.state.warehouse).toMatchObject({
      status: 'known',
      effective: { user: { userName: 'ben@example.com' } },
    });
    expect(seen.map(({ warehouse }) => warehouse.status)).toContain('signing-in');
  });

  it('can be canceled', async () => {
    workspace.approve('ask');
    await model.open('browser');
    const waiting = new Promise<void>((resolve) =>
      model.onChange(
        ({ warehouse }) => warehouse.status === 'signing-in' && warehouse.step === 'waiting-for-browser' && resolve(),
      ),
    );
    const signingIn = model.signIn();
    await waiting;
    model.cancelSignIn();
    await signingIn;
    expect(model.state.warehouse).toMatchObject({
      status: 'failed',
      failure: { problem: { code: 'sign_in_cancelled' }, next: 'sign-in' },
    });
  });
});

describe('signing in to another profile', () => {
  beforeEach(() => model.start(undefined));
  const waits = () =>
    new Promise<void>((resolve) =>
      model.onChange(({ otherSignIns }) => otherSignIns[0]?.step === 'waiting-for-browser' && resolve()),
    );

  it('leaves the open one open, and its state unchanged', async () => {
    workspace.approve({ as: 'ben@example.com' });
    const { warehouse } = model.state;
    await model.signInTo('browser');
    expect(model.state).toMatchObject({ profile: 'ana', otherSignIns: [], failedAction: null });
    expect(model.state.warehouse).toBe(warehouse);
    const auth = await causeway.auth();
    expect(await auth.signInState(await auth.profile('browser'))).toMatchObject({ state: 'signed-in' });
    expect(seen.flatMap(({ otherSignIns }) => otherSignIns)).toContainEqual({
      profile: 'browser',
      step: 'waiting-for-browser',
      host: workspace.host,
      user: null,
      address: null,
    });
  });

  it('can be canceled, and requested twice', async () => {
    workspace.approve('ask');
    const waiting = waits();
    const both = Promise.all([model.signInTo('browser'), model.signInTo('browser')]);
    await waiting;
    expect(model.state.otherSignIns).toHaveLength(1);
    model.cancelSignInTo('browser');
    await both;
    expect(model.state).toMatchObject({ profile: 'ana', otherSignIns: [], warehouse: { status: 'known' } });
  });

  it('is reported to its caller if it fails', async () => {
    workspace.approve('deny');
    await expect(model.signInTo('browser')).rejects.toMatchObject({ code: 'consent_denied' });
    await expect(model.signInTo('no-such')).rejects.toMatchObject({ code: 'profile_not_found' });
    expect(model.state).toMatchObject({ profile: 'ana', otherSignIns: [], warehouse: { status: 'known' } });
  });

  it('shows its warehouse once it is done, if the profile was opened meanwhile', async () => {
    workspace.approve('ask');
    const waiting = waits();
    const signingIn = model.signInTo('browser');
    await waiting;
    await model.open('browser');
    expect(model.state.warehouse.status).toBe('failed');
    workspace.approve({ as: 'ben@example.com' });
    await browser.open(browser.opened[0] ?? '');
    await signingIn;
    expect(model.state).toMatchObject({ profile: 'browser', warehouse: { status: 'known' } });
  });
});
