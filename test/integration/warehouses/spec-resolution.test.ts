import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CommandLine, openCommandLine, WAREHOUSES } from './harness.ts';

/** spec/default-warehouse-override.md › What the service does, States and transitions › Verification layers. */

const { shared, science, starter, nightly, deleting } = WAREHOUSES;

let cli: CommandLine;
beforeEach(async () => {
  cli = await openCommandLine();
});
afterEach(() => cli[Symbol.asyncDispose]());

const effective = (profile: string) => cli.json(profile, 'warehouse', '--json');

describe('What the service does', () => {
  test('the override comes first, and the chain says so', async () => {
    cli.give('ben', shared);
    expect(await effective('ben')).toMatchObject({
      decidedBy: 'override',
      certainty: 'known',
      warehouse: { id: shared, canUse: true },
      steps: [{ outcome: 'decides' }, { outcome: 'passed-over' }, { outcome: 'passed-over' }],
    });
  });

  test('the workspace default decides if there is no override', async () => {
    expect(await effective('ben')).toMatchObject({
      decidedBy: 'workspace-default',
      certainty: 'known',
      warehouse: { id: starter },
      override: null,
      steps: [{ outcome: 'empty' }, { outcome: 'decides' }, { outcome: 'passed-over' }],
    });
  });

  test('the heuristic decides if there is neither, as a prediction', async () => {
    cli.workspace.state.setWorkspaceDefault(undefined);
    expect(await effective('ana')).toMatchObject({
      decidedBy: 'heuristic',
      certainty: 'predicted',
      warehouse: { id: shared },
      steps: [{ outcome: 'empty' }, { outcome: 'empty', certainty: 'known' }, { outcome: 'decides', tier: 2 }],
    });
  });

  test('a changed workspace default applies at once to users without an override, and to no others', async () => {
    cli.give('ben', shared);
    cli.workspace.state.setWorkspaceDefault(science);
    expect(await effective('chloe')).toMatchObject({ warehouse: { id: science } });
    expect(await effective('ben')).toMatchObject({ warehouse: { id: shared } });
  });

  test('a changed override is seen by the next query of any client', async () => {
    await cli.run('ben', 'warehouse', 'set', shared);
    expect((await cli.query('ben')).warehouseId).toBe(shared);
    await cli.run('ben', 'warehouse', 'set', science);
    expect((await cli.query('ben')).warehouseId).toBe(science);
  });

  test('the workspace default can be unreadable: this is reported, and nothing is described as known', async () => {
    Object.assign(cli.workspace.features, { defaultWarehouse: false, defaultWarehouseSetting: false });
    expect(await effective('ben')).toMatchObject({
      certainty: 'predicted',
      decidedBy: 'heuristic',
      steps: [{ outcome: 'empty' }, { outcome: 'unreadable', certainty: 'unknown' }, { outcome: 'decides' }],
    });
  });

  test('an override whose warehouse is being deleted is found before a query fails', async () => {
    cli.give('ben', deleting);
    expect(await effective('ben')).toMatchObject({ problems: [{ code: 'deleting' }] });
    expect((await cli.query('ben')).state).toBe('FAILED');
  });

  test('an override whose warehouse is gone is found before a query fails', async () => {
    cli.give('ben', shared);
    cli.workspace.state.warehouses = cli.workspace.state.warehouses.filter(({ id }) => id !== shared);
    expect(await effective('ben')).toMatchObject({ warehouse: null, problems: [{ code: 'warehouse-unseen' }] });
    const { stdout } = await cli.run('ben', 'warehouse');
    expect(stdout).toContain(`Warehouse ${shared} no longer exists, or you cannot see it. Queries will fail.`);
    cli.give('ana', shared);
    expect((await cli.run('ana', 'warehouse')).stdout).toContain(
      `Warehouse ${shared} no longer exists. Queries will fail.`,
    );
    expect((await cli.query('ben')).state).toBe('FAILED');
  });

  test('the answer and its reasons take six lines', async () => {
    cli.give('ben', shared);
    expect((await cli.run('ben', 'warehouse')).stdout.trimEnd().split('\n')).toHaveLength(6);
  });
});

describe('Verification layers', () => {
  const verify = (...args: string[]) => cli.run('ana', 'warehouse', 'verify', '--json', ...args);
  const verdicts = (stdout: string) =>
    JSON.parse(stdout).checks.map(({ id, status }: Record<string, string>) => `${id} ${status}`);

  test('record and resolver check: the record names the target, and the lookup returns it', async () => {
    cli.give('ana', shared);
    const { code, stdout } = await verify('shared analytics');
    expect(verdicts(stdout)).toEqual(['record pass', 'resolver pass']);
    expect(code).toBe(0);
  });

  test('record check: another target was intended', async () => {
    cli.give('ana', shared);
    const { code, stdout } = await verify('data science');
    expect(verdicts(stdout)).toEqual(['record fail', 'resolver fail']);
    expect(code).toBe(1);
  });

  test('resolver check: recorded, but something else wins the lookup', async () => {
    cli.give('ana', deleting);
    const { code, stdout } = await verify(deleting);
    expect(verdicts(stdout)).toEqual(['record pass', 'resolver fail']);
    expect(stdout).toContain('It is stored, but the lookup passed over it. ');
    expect(stdout).toMatch(/is being deleted[^\n]*Queries will fail\./);
    expect(code).toBe(1);
  });

  test('a check that cannot be made is unknown, and has its own exit code', async () => {
    cli.workspace.faults.add({ effect: { kind: 'html' }, path: '*/default-warehouse-overrides/*', times: 1 });
    cli.give('ana', shared);
    const { code, stdout } = await verify(shared);
    expect(verdicts(stdout)).toEqual(['record unknown', 'resolver pass']);
    expect(code).toBe(5);
  });

  test('end to end: with all stopped, a query starts only the target; what was stopped is restarted', async () => {
    cli.give('ana', science);
    const before = running();
    const { code, stdout } = await verify('--cold', '--stop-warehouses');
    expect(verdicts(stdout)).toEqual(['record pass', 'resolver pass', 'end-to-end pass']);
    expect(code).toBe(0);
    await settled();
    expect(running()).toEqual(before);
  });

  test('end to end: it fails if another warehouse is started instead', async () => {
    cli.give('ana', science);
    const { code, stdout } = await verify('nightly loads', '--cold', '--stop-warehouses');
    expect(verdicts(stdout)).toContain('end-to-end fail');
    expect(stdout).toContain('The query did not start Nightly loads. Running: Data science.');
    expect(code).toBe(1);
    expect(cli.workspace.statements).toHaveLength(1);
    expect(nightly).toBe(cli.workspace.state.warehouses.find(({ name }) => name === 'Nightly loads')?.id);
  });

  test('end to end: without consent it says what it would stop, and stops nothing', async () => {
    cli.give('ana', science);
    const { code, stderr } = await verify('--cold');
    expect(stderr).toContain('stops these warehouses and starts them again: Shared analytics, Finance BI.');
    expect(stderr).toContain('--stop-warehouses');
    expect(code).toBe(2);
    expect(cli.workspace.requests.count({ path: '*/stop' })).toBe(0);
    expect(cli.workspace.statements).toHaveLength(0);
  });

  test('end to end: a stop that is refused ends the check, and the others are restarted', async () => {
    cli.give('ana', science);
    const before = running();
    cli.workspace.faults.add({ effect: { kind: 'block-ip' }, path: `*/${WAREHOUSES.finance}/stop` });
    const { stdout } = await verify('--cold', '--stop-warehouses');
    expect(verdicts(stdout)).toContain('end-to-end unknown');
    expect(stdout).toContain('Started again: Shared analytics.');
    await settled();
    expect(running()).toEqual(before);
  });

  test('end to end: what cannot be restarted is reported', async () => {
    cli.give('ana', science);
    cli.workspace.faults.add({ effect: { kind: 'block-ip' }, path: `*/${shared}/start`, times: 'always' });
    const { stdout } = await verify('--cold', '--stop-warehouses');
    expect(stdout).toContain('Start Shared analytics yourself. Restarting failed: ');
  });

  const running = () =>
    cli.workspace.state.warehouses
      .filter(({ state }) => state === 'RUNNING')
      .map(({ id }) => id)
      .sort();
  const settled = async () => {
    const { warehouses, whenRunning } = cli.workspace.state;
    await Promise.all(warehouses.filter(({ state }) => state === 'STARTING').map(({ id }) => whenRunning(id)));
  };
});
