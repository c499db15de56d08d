import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Causeway, createCauseway } from '../../../main/app/causeway.ts';
import { DesktopModel } from '../../../main/desktop/model.ts';
import { type CommandLine, openCommandLine, USERS, WAREHOUSES } from './harness.ts';

/** How many requests each thing that people do costs the workspace, in the window and at the command line. */

const { shared, science, starter } = WAREHOUSES;
const LIST = '/api/2.0/sql/warehouses';

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
  // More pages are more requests.
  cli.without('smallPages');
});
afterEach(() => cli[Symbol.asyncDispose]());

const requests = () => cli.workspace.requests;
const sent = () =>
  requests()
    .list()
    .map(({ method, path }) => `${method} ${path}`);

describe('in the window', () => {
  let causeway: Causeway;
  let model: DesktopModel;
  let now = 0;
  beforeEach(async () => {
    now = 1_000_000;
    causeway = createCauseway({ env: cli.env });
    model = new DesktopModel(causeway, () => now);
    await model.open('ben');
    requests().clear();
  });
  afterEach(async () => {
    await model.close();
    await causeway.close();
  });
  const shown = () => {
    const { warehouse } = model.state;
    return warehouse.status === 'known' ? warehouse.effective.warehouse?.id : undefined;
  };
  const use = (id: string) =>
    model.change('ben', (warehouses) => warehouses.setOverride('me', { type: 'CUSTOM', warehouse_id: id }));

  it('a refresh lists the warehouses twice: all, and the usable ones', async () => {
    await model.checkAgain();
    expect(requests().count({ path: LIST })).toBe(2);
    expect(requests().count()).toBe(6);
  });

  it('an automatic refresh reads the override and the warehouses, until two minutes have passed', async () => {
    await use(shared);
    requests().clear();
    now += 90_000;
    const used = cli.workspace.state.warehouses.find(({ id }) => id === shared);
    if (used) used.state = 'STOPPING';
    await model.follow();
    expect(sent()).toEqual(expect.arrayContaining([`GET ${LIST}`, expect.stringMatching(/^GET .*overrides\/me$/)]));
    expect(requests().count()).toBe(2);
    expect(model.state.warehouse).toMatchObject({ checkedAt: now, effective: { warehouse: { state: 'STOPPING' } } });
    requests().clear();
    now += 31_000;
    await model.follow();
    expect(requests().count()).toBe(6);
  });

  it('an automatic refresh reads the workspace default, too, if that decides', async () => {
    cli.workspace.state.setWorkspaceDefault(science);
    await model.follow();
    expect(shown()).toBe(science);
    expect(requests().count()).toBe(3);
  });

  it('an automatic refresh reads everything if an override or a warehouse has been added or removed', async () => {
    cli.workspace.state.overrides.set(USERS.ben, { userId: USERS.ben, type: 'CUSTOM', warehouseId: science });
    await model.follow();
    expect(shown()).toBe(science);
    const [first] = cli.workspace.state.warehouses;
    if (first) cli.workspace.state.warehouses.push({ ...first, id: 'abcdef', name: 'New one' });
    requests().clear();
    await model.follow();
    expect(requests().count()).toBe(8);
    cli.workspace.state.overrides.delete(USERS.ben);
    await model.follow();
    expect(shown()).toBe(starter);
  });

  it('a change of the override makes it, reads it back, and shows it', async () => {
    await use(shared);
    expect(sent()).toEqual([expect.stringMatching(/^PATCH .*\/me$/), expect.stringMatching(/^GET .*\/me$/)]);
    expect(shown()).toBe(shared);
    expect(model.state.warehouse).toMatchObject({ effective: { decidedBy: 'override' }, checking: false });
    requests().clear();
    await model.change('ben', (warehouses) => warehouses.setOverride('me', { type: 'LAST_SELECTED' }));
    expect(requests().count()).toBe(2);
    expect(model.state.warehouse).toMatchObject({ effective: { override: { type: 'LAST_SELECTED' } } });
  });

  it('a removal shows the workspace default only if it was read without an override', async () => {
    await use(shared);
    await model.change('ben', (warehouses) => warehouses.clearOverride('me'));
    expect(shown()).toBe(starter);
    cli.workspace.state.overrides.set(USERS.ben, { userId: USERS.ben, type: 'CUSTOM', warehouseId: shared });
    await model.checkAgain();
    requests().clear();
    await model.change('ben', (warehouses) => warehouses.clearOverride('me'));
    expect(shown()).toBe(starter);
    expect(requests().count()).toBe(8);
  });

  it('a change reads everything again if the displayed values are old', async () => {
    now += 31_000;
    cli.workspace.state.setWorkspaceDefault(science);
    await use(shared);
    expect(requests().count()).toBe(8);
    expect(model.state.warehouse).toMatchObject({
      checkedAt: now,
      effective: { steps: [{}, { warehouse: { id: science } }, {}] },
    });
  });

  it('a change reads everything again if the warehouse was not known before', async () => {
    const [first] = cli.workspace.state.warehouses;
    if (first) cli.workspace.state.warehouses.push({ ...first, id: 'abcdef', name: 'New one' });
    await use('abcdef');
    expect(requests().count()).toBe(8);
    expect(shown()).toBe('abcdef');
  });

  it('a change that could not be read back reads everything again', async () => {
    const path = '/api/warehouses/v1/default-warehouse-overrides/*';
    cli.workspace.faults.add({ effect: { kind: 'html' }, method: 'GET', path });
    await use(shared);
    expect(requests().count()).toBe(8);
    expect(shown()).toBe(shared);
  });

  it('a refresh after a change sees what has changed since', async () => {
    await use(shared);
    cli.workspace.state.overrides.set(USERS.ben, { userId: USERS.ben, type: 'CUSTOM', warehouseId: science });
    await model.checkAgain();
    expect(shown()).toBe(science);
  });

  it('starting a warehouse is one request and a refresh', async () => {
    await model.change('ben', (warehouses) => warehouses.start(science));
    expect(requests().count()).toBe(7);
  });
});

describe('at the command line', () => {
  it.each([
    [['warehouse'], 6],
    [['warehouse', 'list'], 6],
    [['warehouse', 'set', 'shared analytics'], 5],
    [['warehouse', 'last-selected'], 3],
    [['warehouse', 'clear'], 3],
    [['warehouse', 'verify'], 8],
    [['warehouse', 'verify', 'data science'], 8],
    [['warehouse', 'start', 'data science'], 5],
  ])('causeway %j makes %i requests', async (args, count) => {
    cli.workspace.state.overrides.set(USERS.ben, { userId: USERS.ben, type: 'CUSTOM', warehouseId: science });
    expect((await cli.run('ben', ...args)).code).toBe(0);
    expect(requests().count()).toBe(count);
  });
});
