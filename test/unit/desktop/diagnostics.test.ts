import { describe, expect, it } from 'vitest';
import { remedyAsCommand } from '../../../main/app/diagnosis/finding.ts';
import { clockFinding, hostFinding, tlsFinding } from '../../../main/app/diagnosis/host-checks.ts';
import { clientsFinding, serversFinding } from '../../../main/app/diagnosis/local-checks.ts';
import { type ReportParts, reportOf } from '../../../main/app/diagnosis/report.ts';
import { warehouseFinding } from '../../../main/app/diagnosis/workspace-checks.ts';
import type { Profile, ProfileEntry } from '../../../main/auth/auth.ts';
import type { ClientReport } from '../../../main/clients/survey.ts';
import { reportedState, versionFinding } from '../../../main/desktop/diagnostics.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import type { EntryState } from '../../../preload/contract/clients.ts';
import { DEFAULT_SETTINGS } from '../../../preload/contract/setting-facts.ts';
import type { Diagnosis } from '../../../preload/contract.ts';
import { formatDiagnosis, sortedChecks } from '../../../renderer/diagnostics/format.ts';
import { effective, failure, known, stateOf, warehouse } from './states.ts';

const profile: Profile = {
  name: 'acme',
  host: 'https://acme.cloud.databricks.com',
  method: 'oauth-user',
  workspaceId: undefined,
};
const answer = (change: object = {}) => ({
  answer: { status: 401, asksForToken: true, location: undefined, clockAheadMs: 0, ...change },
});
const broken = (code: 'tls' | 'unreachable' | 'timeout') => ({ error: new CausewayError(code, `It is ${code}.`) });

describe('the route to the workspace', () => {
  it.each([
    ['a workspace', answer(), 'pass', 'pass'],
    ['a captive portal', answer({ status: 302, asksForToken: false, location: 'http://hotel/' }), 'fail', 'pass'],
    ['an IP access list', answer({ status: 403, asksForToken: false }), 'fail', 'pass'],
    ['another website', answer({ status: 404, asksForToken: false }), 'fail', 'pass'],
    ['a workspace that is restarting', answer({ status: 503, asksForToken: false }), 'warning', 'pass'],
    ['nobody', broken('unreachable'), 'fail', 'skipped'],
    ['nobody in time', broken('timeout'), 'fail', 'skipped'],
    ['a certificate that is not trusted', broken('tls'), 'pass', 'fail'],
  ])('is described if it leads to %s', (_name, probe, host, tls) => {
    expect(hostFinding(profile, probe).status).toBe(host);
    expect(tlsFinding(profile, {}, probe).status).toBe(tls);
  });

  it.each([
    [0, 'pass'],
    [-59_000, 'pass'],
    [61_000, 'warning'],
    [-4 * 60_000, 'warning'],
    [3_600_000, 'fail'],
    [-3_600_000, 'fail'],
    [undefined, 'skipped'],
  ])('is rated with a clock that is %s ms ahead', (clockAheadMs, status) => {
    expect(clockFinding(answer({ clockAheadMs })).status).toBe(status);
  });

  it('says in which direction the clock is wrong', () => {
    expect(clockFinding(answer({ clockAheadMs: 3_600_000 })).words).toContain('3600 s behind');
    expect(clockFinding(answer({ clockAheadMs: -3_600_000 })).words).toContain('3600 s ahead');
  });

  it('names the proxy but not its password', () => {
    const { words } = tlsFinding(profile, { https_proxy: 'http://ana:hunter2@proxy.example:8080' }, answer());
    expect(words).toContain('proxy.example:8080');
    expect(words).not.toMatch(/hunter2|ana/);
    expect(tlsFinding(profile, { HTTPS_PROXY: 'proxy.example' }, answer()).words).toContain('proxy.example');
  });
});

describe('the state of this computer', () => {
  it.each([
    [{ status: 'idle', checkedAt: 1 }, 'pass'],
    [{ status: 'off' }, 'pass'],
    [{ status: 'ready', version: '9.0.0' }, 'warning'],
  ] as const)('is described if updates are %j', (update, status) => {
    expect(versionFinding(update).status).toBe(status);
  });

  it('has no servers at first', () => {
    expect(serversFinding([])).toMatchObject({ status: 'warning', screen: 'servers', action: { do: 'add-server' } });
  });
});

describe('the warehouse that queries run on', () => {
  it.each([
    [true, 'pass', 'Your queries run on Shared analytics. You have permission to use it.'],
    ['unknown', 'unknown', 'Your queries run on Shared analytics. Your permission could not be checked.'],
  ] as const)('is described if canUse is %s', async (canUse, status, words) => {
    const summary = { ...warehouse({ canUse }), type: 'PRO' };
    const found = { ...effective(), steps: [], warehouse: summary };
    expect(await warehouseFinding(async () => found)).toMatchObject({ status, words });
  });

  it('leads to the command that chooses another warehouse if this one is gone', async () => {
    const problem = { code: 'warehouse-gone', message: 'It is gone.', remedy: 'Choose another one.' } as const;
    const found = { ...effective(), steps: [], warehouse: null, problems: [problem] };
    const finding = await warehouseFinding(async () => found);
    expect(finding.status).toBe('fail');
    expect(remedyAsCommand(finding)).toBe(
      'Choose another one. `causeway warehouse set NAME` chooses one, `causeway warehouse clear` removes your override.',
    );
  });
});

describe('the entries in AI clients’ files', () => {
  const NOTHING_ELSE = { servedByAll: [], repairable: [], sharedWith: [], meta: {}, project: null };
  const client = (name: string, state: EntryState | null, change: Partial<ClientReport> = {}): ClientReport => ({
    id: name,
    name,
    foundBy: 'it is there',
    files: [
      {
        path: '/x',
        exists: true,
        entries: state ? { sql: state } : {},
        all: [],
        leftOver: [],
        known: false,
        ...NOTHING_ELSE,
      },
    ],
    ...change,
  });

  it.each<[string, ClientReport[], string]>([
    ['no client is found', [client('A', null, { foundBy: null })], 'skipped'],
    ['none is connected', [client('A', 'absent')], 'warning'],
    ['all is well', [client('A', 'current'), client('B', 'absent')], 'pass'],
    ['all are there, and would be written differently today', [client('A', 'outdated')], 'pass'],
    ['one leads nowhere', [client('A', 'current'), client('B', 'broken')], 'fail'],
    ['one starts a command that is not on the PATH', [client('A', 'not-on-path')], 'warning'],
    ['another program removed one', [client('A', 'vanished')], 'fail'],
    [
      'one is orphaned',
      [
        client('A', null, {
          files: [{ path: '/x', exists: true, entries: {}, all: [], leftOver: ['old'], known: false, ...NOTHING_ELSE }],
        }),
      ],
      'fail',
    ],
    ['a file cannot be read', [client('A', 'current', { problem: 'It is damaged.' })], 'fail'],
    ['another program’s entry has the name', [client('A', 'foreign'), client('B', 'current')], 'pass'],
  ])('are described if %s', (_name, reports, status) => {
    expect(clientsFinding(reports).status).toBe(status);
  });
});

describe('the result of all checks', () => {
  const check = (status: Diagnosis['checks'][number]['status']) => ({
    id: 'x',
    title: 'X',
    status,
    words: '',
    remedy: null,
    nextStep: null,
  });
  const of = (statuses: Diagnosis['checks'][number]['status'][], running = false): Diagnosis => ({
    running,
    startedAt: 1,
    checks: statuses.map(check),
  });

  it.each([
    [of(['pass', 'running', 'waiting'], true), '1 of 3 checked'],
    [of(['pass', 'skipped']), '1 OK'],
    [of(['pass', 'warning']), '1 warning · 1 OK'],
    [of(['pass', 'fail', 'warning', 'unknown']), '1 problem · 1 warning · 1 unknown · 1 OK'],
    [of(['fail', 'fail']), '2 problems · 0 OK'],
    [of(['pass', 'unknown', 'warning']), '1 warning · 1 unknown · 1 OK'],
  ])('is summarized in one line: case %#', (diagnosis, words) => {
    expect(formatDiagnosis(diagnosis)).toBe(words);
  });

  it('lists problems first once all checks have ended', () => {
    const statuses = (diagnosis: Diagnosis) => sortedChecks(diagnosis).map(({ status }) => status);
    expect(statuses(of(['pass', 'skipped', 'fail', 'warning']))).toEqual(['fail', 'warning', 'pass', 'skipped']);
    expect(statuses(of(['pass', 'running', 'waiting'], true))).toEqual(['pass', 'running', 'waiting']);
  });
});

describe('the report', () => {
  const PAT = 'dapi0123456789abcdef0123456789abcdef';
  const SECRET = 'k3J9sQ2vXz7LmN0pR4tUwYbC5dEfGhI8aZ1oP6qS-_x';
  const entry: ProfileEntry = { usable: true, name: 'acme', isDefault: true, profile };
  const parts = (change: Partial<ReportParts> = {}): ReportParts => ({
    version: '1.2.3',
    versions: { electron: '33.0.0', node: '20.18.0', v8: 'x' },
    system: { platform: 'linux', release: '6.1', arch: 'x64', language: 'en' },
    env: {},
    settings: DEFAULT_SETTINGS,
    settingsFile: '/home/x/settings.json',
    profiles: [entry],
    state: reportedState(known()),
    checks: null,
    log: [],
    now: new Date('2026-01-02T03:04:05Z'),
    ...change,
  });

  it('contains what a supporter needs to know', () => {
    const text = reportOf(parts({ log: ['[error] It broke.'] }));
    for (const line of [
      '## Causeway 1.2.3',
      'System: linux 6.1 x64, en',
      'Runs on: electron 33.0.0, node 20.18.0',
      'Not run.',
      'acme (default): oauth-user, https://acme.cloud.databricks.com',
      'Warehouse: a1, RUNNING; by override (known); problems: none',
      'appearance: system',
      '[error] It broke.',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
  });

  it('holds one line for each log line, and a name cannot inject any', () => {
    const profiles: ProfileEntry[] = [{ ...entry, name: 'acme\u001b[2J\n## Log\u202e', profile }];
    const lines = reportOf(parts({ profiles, log: ['[error] a\u009b1A'] })).split('\n');
    expect(lines.filter((line) => line === '## Log')).toHaveLength(1);
    expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('holds no secret and no user name, wherever they were', () => {
    const env = {
      DATABRICKS_TOKEN: PAT,
      DATABRICKS_CLIENT_SECRET: SECRET,
      HTTPS_PROXY: 'http://ana:hunter2@proxy.example',
      CAUSEWAY_TOKEN_STORE: 'encrypted-file',
      HOME: '/home/ana',
    };
    const state = reportedState({
      ...stateOf({ status: 'failed', failure: failure('unauthenticated', 'sign-in', `Bearer ${SECRET}`) }),
      servers: [],
    });
    const words = `Signed in as ana@example.com, with ${PAT}.`;
    const checks = [{ title: 'Sign-in', status: 'fail' as const, words, remedy: `Run with --token hunter2` }];
    const log = [
      `authorization: Bearer ${SECRET}`,
      `{"refresh_token":"hunter2"}`,
      `for ana@example.com`,
      `token = ${PAT}`,
    ];
    const text = reportOf(parts({ env, state, checks, log, settingsFile: '/home/ana/.config/causeway/settings.json' }));
    for (const secret of [PAT, SECRET, 'hunter2', 'ana']) expect(text).not.toContain(secret);
    expect(text).toContain('CAUSEWAY_TOKEN_STORE: encrypted-file');
    expect(text).toContain('DATABRICKS_TOKEN is set');
    expect(text).not.toContain('HOME is set');
    expect(text).toContain('failed (unauthenticated)');
  });
});
