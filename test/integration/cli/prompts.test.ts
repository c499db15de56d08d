import { globSync, readFileSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { activityFile } from '../../../main/activity/open-store.ts';
import { createCauseway } from '../../../main/app/causeway.ts';
import { openServers } from '../../../main/clients/servers.ts';
import { ApprovalQueue } from '../../../main/permissions/approvals.ts';
import { callToStore, openStore } from '../../stored-calls.ts';
import { runCauseway } from '../auth/causeway-process.ts';
import { scriptedBrowser } from '../auth/scripted-browser.ts';
import { ownerOf, setStage } from '../auth/stage.ts';
import { ProxyProcess } from '../proxy/proxy-process.ts';
import { HAS_TERMINALS, linesOf, openTerminal, type RealTerminal, textOf } from './real-terminal.ts';
import { profileOf } from './sql-session.ts';

/** Every question of the command, in a terminal of the system: each answer, and the ways to leave it without one. */

const stage = setStage((workspace) => `${profileOf(workspace, 'ana')}[__settings__]\ndefault_profile = ana\n\n`, {
  state: { startupMs: 20 },
});

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ANA = 'ana@example.com';
const BEN = 'ben@example.com';

interface Prompt {
  /** The file of `main/cli/` that asks. */
  at: string;
  name: string;
  /** Sets the stage, and gives the command and what of its effects can be seen. */
  prepare(): Promise<{ args: string[]; effects: () => unknown }>;
  /** What is typed for a yes, question by question, if that is not `y`. */
  yes?: string[];
  /** What is typed for a no, if that is not `n`. */
  noTyped?: string;
  /** Anything that is no answer asks again: the beginning of the question. */
  repeats?: string;
  /** What a user has to do before the question comes. */
  before?: (terminal: RealTerminal) => Promise<void>;
  /** The exit code of a no, and its sentence. */
  no: [code: number, sentence: string];
  /** What Ctrl+C and Ctrl+D leave as it is; null where they end what is not a failure. */
  left: string | null;
  /** What is said where there is no terminal: a refusal, or null for what needs no answer there. */
  withoutTerminal: string | null;
}

const home = (...path: string[]) => join(stage.home.folder, ...path);
const run = async (...args: string[]) => expect(await runCauseway(stage.home, args)).toMatchObject({ code: 0 });

/** Requests with which something is changed. */
function changes(): number {
  const { requests } = stage.workspace;
  const bodies = ['POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) => requests.list({ method, path: '/api/*' }));
  return bodies.filter(({ path }) => !path.includes('/mcp/')).length;
}

const ofWorkspace = (at: string, name: string, ...args: string[]): Prompt => ({
  at,
  name,
  prepare: async () => {
    await writeFile(home('o.csv'), `user,warehouse\n${BEN},Shared analytics\n`);
    return { args: args.map((each) => (each === 'o.csv' ? home(each) : each)), effects: changes };
  },
  no: [130, 'Nothing was changed.'],
  left: 'Nothing was changed.',
  withoutTerminal: 'Run it again with --yes.',
});

const ofFile = (at: string, name: string, ...args: string[]): Prompt => ({
  at,
  name,
  prepare: async () => {
    const file = home('a file of mine.txt');
    await writeFile(file, 'mine');
    return { args: [...args, file], effects: () => readFile(file, 'utf8') };
  },
  no: [130, 'Nothing was written.'],
  left: 'Nothing was written.',
  withoutTerminal: 'Run it again with --force.',
});

const serversHere = async () => (await openServers(stage.home.env)).initial.servers;

async function signInAsAna(): Promise<void> {
  const auth = stage.open({ openBrowser: scriptedBrowser().open });
  await auth.signIn(await auth.profile('user'));
}

/** A call of a tool that waits in the application. */
async function waitingCall() {
  const { env } = stage.home;
  await run('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'data', '--profile', 'ana');
  await run('permissions', 'set', 'data', '--ask', 'execute_sql');
  const approvals = new ApprovalQueue({ waits: () => ({ firstMs: 60_000, mostMs: 200_000 }) });
  const causeway = createCauseway({ env });
  stage.atEnd(() => causeway.close());
  const hub = await causeway.serveProxies(undefined, approvals);
  stage.atEnd(() => hub.close());
  const client = new ProxyProcess(['--profile', 'ana', '--path', '/api/2.0/mcp/sql'], env);
  stage.atEnd(() => client.close());
  await client.open({ clientInfo: { name: 'claude-code', version: '1' } });
  const params = { name: 'execute_sql', arguments: { query: 'DROP TABLE orders' } };
  client.request(1, 'tools/call', params).catch(() => undefined);
  await stage.poll(() => approvals.pending.length).toBe(1);
  return () => approvals.pending.length;
}

const PROMPTS: Prompt[] = [
  ofWorkspace('warehouse/own.ts', 'a warehouse is stopped', 'warehouse', 'stop', 'shared analytics'),
  ofWorkspace('warehouse/change.ts', 'another user’s override is changed', 'warehouse', 'for', 'ben', 'set', 'shared'),
  ofWorkspace(
    'warehouse/default.ts',
    'the workspace default is changed',
    'warehouse',
    'default',
    'set',
    'shared analytics',
  ),
  ofWorkspace('warehouse/bulk.ts', 'overrides are imported', 'warehouse', 'import', 'o.csv'),
  {
    ...ofWorkspace(
      'warehouse/verify.ts',
      'warehouses are stopped for a check',
      'warehouse',
      'verify',
      'starter',
      '--cold',
    ),
    no: [5, 'You did not agree to stop'],
    left: 'Nothing was stopped.',
    withoutTerminal: 'Run it again with --stop-warehouses.',
  },
  {
    ...ofWorkspace('dashboard.ts', 'a dashboard is replaced', 'dashboard', 'install'),
    prepare: async () => {
      const install = (warehouse: string) => ['dashboard', 'install', '--folder', '/Shared', '--warehouse', warehouse];
      await run(...install('shared analytics'));
      return { args: install('data science'), effects: changes };
    },
  },
  {
    ...ofWorkspace('activity/delete.ts', 'kept calls are deleted', 'activity', 'delete', '--all'),
    prepare: async () => {
      const path = activityFile(stage.home.env);
      await mkdir(dirname(path), { recursive: true });
      const { store, total, close } = await openStore(path);
      store.add([callToStore(1, { startedAt: Date.now() })], 90);
      stage.atEnd(async () => close());
      return { args: ['activity', 'delete', '--all'], effects: total };
    },
  },
  ofFile('warehouse/export.ts', 'an export replaces a file', 'warehouse', 'export'),
  ofFile('diagnose.ts', 'a report replaces a file', 'diagnose', '--report'),
  {
    at: 'servers/add.ts',
    name: 'tokens may go to an app',
    prepare: async () => {
      await signInAsAna();
      return {
        args: ['servers', 'add', 'app:mcp-inventory', '--profile', 'user'],
        effects: serversHere,
      };
    },
    no: [130, 'Nothing was added.'],
    left: 'Nothing was added.',
    withoutTerminal: 'Run it again with --yes.',
  },
  {
    ...ofWorkspace('up.ts', 'all is set up', 'up'),
    prepare: async () => ({ args: ['up'], effects: serversHere }),
  },
  {
    ...ofWorkspace('up.ts', 'a workspace is chosen to set all up for', 'up'),
    prepare: async () => {
      const { workspace } = stage;
      await writeFile(home('.databrickscfg'), profileOf(workspace, 'ana') + profileOf(workspace, 'ben'));
      return { args: ['up'], effects: serversHere };
    },
    noTyped: 'no address',
    yes: ['1', 'y'],
    repeats: 'The address of your workspace',
    no: [130, 'Nothing was changed.'],
    withoutTerminal: 'It is not known which workspace to connect.',
  },
  {
    at: 'clients/clients.ts',
    name: 'another client loses its entries too',
    prepare: async () => {
      await writeFile(home('.claude.json'), '{}');
      await mkdir(home('.cursor'));
      await symlink(home('.claude.json'), home('.cursor', 'mcp.json'));
      await run('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'data', '--profile', 'ana');
      await run('clients', 'add', 'claude-code');
      return { args: ['clients', 'remove', 'cursor'], effects: () => readFile(home('.claude.json'), 'utf8') };
    },
    no: [130, 'Claude Code reads the same file, and would lose them too.'],
    left: 'Nothing was changed.',
    withoutTerminal: 'Claude Code would lose the same entries',
  },
  {
    at: 'clients/clients.ts',
    name: 'entries are written',
    prepare: async () => {
      await writeFile(home('.claude.json'), '{}');
      await run('servers', 'add', '--path', '/api/2.0/mcp/sql', '--name', 'data', '--profile', 'ana');
      return { args: ['clients', 'add', 'claude-code'], effects: () => readFile(home('.claude.json'), 'utf8') };
    },
    no: [130, '"mcpServers": { + "data": {'],
    left: 'Nothing was changed.',
    withoutTerminal: null,
  },
  {
    at: 'login.ts',
    name: 'another user signs in',
    prepare: async () => {
      await signInAsAna();
      stage.workspace.approve({ as: BEN });
      const effects = async () => {
        const now = stage.open();
        return ownerOf(stage, await now.tokens(await now.profile('user')).token());
      };
      expect(await effects()).toBe(ANA);
      return { args: ['login', '--profile', 'user', '--no-browser'], effects };
    },
    before: async ({ shown }) => {
      const address = () => linesOf(shown()).find((line) => line.startsWith('http')) ?? '';
      await stage.poll(address).not.toBe('');
      await scriptedBrowser().open(address());
    },
    no: [130, 'stays signed in'],
    left: 'The sign-in before stays.',
    withoutTerminal: null,
  },
  {
    at: 'approvals.ts',
    name: 'a call is allowed',
    prepare: async () => ({ effects: await waitingCall(), args: ['approvals', 'allow', '1'] }),
    yes: ['allow'],
    no: [0, 'Not allowed. The call still waits.'],
    left: 'The call still waits.',
    withoutTerminal: 'Only a person can allow a call',
  },
  {
    at: 'approvals.ts',
    name: 'a watched call is allowed',
    prepare: async () => ({ effects: await waitingCall(), args: ['approvals', '--watch'] }),
    yes: ['allow'],
    repeats: 'Type "allow"',
    no: [0, 'Type "allow" to allow it'],
    left: null,
    withoutTerminal: null,
  },
];

/** What a question ends with, and the space before its answer. */
const ENDS = String.raw`(?:\[y/N\]|(?:Type|The address) [^:]*:)`;
const QUESTION = new RegExp(`${ENDS} $`);

/** Starts the command in a terminal, and waits until it asks. */
async function atQuestion({ before }: Prompt, columns: number, args: string[]): Promise<RealTerminal> {
  const terminal = openTerminal(stage.home.env, columns, args);
  onTestFinished(terminal.kill);
  await before?.(terminal);
  await stage.poll(() => linesOf(terminal.shown()).join(' ')).toMatch(QUESTION);
  return terminal;
}

/** In turn; with `CAUSEWAY_EVERY_WIDTH`, each question is asked in both. */
const WIDTHS = [40, 80];
const inTurn = (columns: number) =>
  PROMPTS.filter((_, at) => process.env.CAUSEWAY_EVERY_WIDTH || WIDTHS[at % WIDTHS.length] === columns);

describe.runIf(HAS_TERMINALS).each(WIDTHS)('in %i columns', { timeout: 60_000 }, (columns) => {
  test.each(inTurn(columns))(
    'before $name, Ctrl+C and Ctrl+D change nothing, a no neither, and a yes does it',
    async (prompt) => {
      const { args, effects } = await prompt.prepare();
      const before = await effects();
      for (const key of [CTRL_C, CTRL_D]) {
        const left = await atQuestion(prompt, columns, args);
        left.type(key);
        const said = prompt.left === null ? '' : `causeway: Interrupted. ${prompt.left}`;
        expect([await left.ended, textOf(left.shown()), await effects()]).toEqual([
          prompt.left === null ? 0 : 130,
          expect.stringMatching(new RegExp(`${ENDS} ?${said}$`)),
          before,
        ]);
        // An answer may be a space further than the question. A path and the lines of a difference stay whole.
        const wrapped = linesOf(left.shown()).filter((each) => / /.test(each.trim()) && !/^[-+@ \\]|[/]/.test(each));
        for (const line of wrapped) expect(line.trimEnd().length, line).toBeLessThanOrEqual(columns);
      }

      const no = await atQuestion(prompt, columns, args);
      const { repeats, noTyped = 'n', yes: typed = ['y'] } = prompt;
      no.type(`${noTyped}\r`);
      if (repeats !== undefined) {
        await stage.poll(() => textOf(no.shown()).split(repeats).length).toBe(3);
        no.type(CTRL_C);
      }
      expect([await no.ended, textOf(no.shown())]).toEqual([prompt.no[0], expect.stringContaining(prompt.no[1])]);
      expect(await effects()).toEqual(before);

      const yes = await atQuestion(prompt, columns, args);
      for (const [at, answer] of typed.entries()) {
        const asked = () =>
          linesOf(yes.shown())
            .join(' ')
            .match(new RegExp(`${ENDS} `, 'g'))?.length;
        await stage.poll(asked, { timeout: 20_000 }).toBe(at + 1);
        yes.type(`${answer}\r`);
      }
      await stage.poll(effects, { timeout: 20_000 }).not.toEqual(before);
      if (prompt.left === null) yes.type(CTRL_C);
      expect(await yes.ended).toBe(0);
    },
  );
});

test.runIf(HAS_TERMINALS).each(PROMPTS.filter(({ withoutTerminal }) => withoutTerminal !== null))(
  'without a terminal, nobody is asked before $name',
  async ({ prepare, withoutTerminal }) => {
    const { args, effects } = await prepare();
    const before = await effects();
    const { code, stderr, stdout } = await runCauseway(stage.home, args);
    expect(`${stdout}${stderr}`).toContain(withoutTerminal);
    expect(code).toBeGreaterThan(0);
    expect(await effects()).toEqual(before);
  },
);

test('these are all questions, and one function asks them', () => {
  const cli = fileURLToPath(new URL('../../../main/cli/', import.meta.url));
  const filesWith = (pattern: RegExp) =>
    globSync('**/*.ts', { cwd: cli }).filter((file) => pattern.test(readFileSync(`${cli}${file}`, 'utf8')));
  const asking = filesWith(/\b(?:confirm|agreeOrCancel|askLine|askWord|askToReplace)\(/);
  const own = ['question.ts', 'output-file.ts'];
  expect(asking.filter((file) => !own.includes(file)).toSorted()).toEqual(
    [...new Set(PROMPTS.map(({ at }) => at))].toSorted(),
  );
  expect(filesWith(/\bcreateInterface\(/)).toEqual(['question.ts']);
});
