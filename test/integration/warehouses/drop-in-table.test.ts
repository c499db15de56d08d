import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CommandLine, openCommandLine, type Run, runCommand, USERS, WAREHOUSES } from './harness.ts';

/**
 * What the Databricks CLI does with these arguments, and where its source says so (github.com/databricks/cli, at 7bbe2852): exit
 * code, output and errors. The usage that follows an error in the arguments is left out, and `causeway` stands for the CLI's name.
 */

const { shared, starter } = WAREHOUSES;
const ME = 'default-warehouse-overrides/me';
const GET = 'get-default-warehouse-override';
const LIST = 'list-default-warehouse-overrides';
const CREATE = 'create-default-warehouse-override';
const UPDATE = 'update-default-warehouse-override';
const DEFAULT = 'experimental aitools tools get-default-warehouse';

const OVERRIDE = `{
  "default_warehouse_override_id": "${USERS.ben}",
  "name": "default-warehouse-overrides/${USERS.ben}",
  "type": "CUSTOM",
  "warehouse_id": "${shared}"
}
`;

interface Row {
  args: string;
  /** File and function. */
  source: string;
  code: 0 | 1;
  /** The whole output; by default there is none. */
  prints?: string | RegExp;
  /** The first line on stderr, without `Error: `. */
  says?: string;
  env?: Record<string, string>;
}

const ARGUMENTS = 'cmd/root/args.go, ExactArgs';
const WAREHOUSES_GO = 'cmd/workspace/warehouses/warehouses.go';
const OUTPUT = 'cmd/root/io.go, initOutputFlag';
const UNKNOWN = 'cmd/root/root.go, ReportUnknownSubcommand';
const LOOKUP = 'experimental/aitools/cmd/get_default_warehouse.go';
const TOKEN = 'cmd/auth/token.go, loadToken';

const ROWS: Row[] = [
  // Output.
  { args: `warehouses ${GET} ${ME}`, source: `${WAREHOUSES_GO}, Render`, code: 0, prints: OVERRIDE },
  { args: `warehouses ${GET} ${ME} -o text`, source: OUTPUT, code: 0, prints: OVERRIDE },
  {
    args: `warehouses ${GET} ${ME} --output JSON`,
    source: 'libs/flags/output.go, Set',
    code: 0,
    prints: OVERRIDE,
  },
  { args: `${DEFAULT}`, source: LOOKUP, code: 0, prints: `${shared}\n` },
  {
    args: `${DEFAULT} -o json`,
    source: LOOKUP,
    code: 0,
    prints: `{\n  "id": "${shared}",\n  "name": "Shared analytics",\n  "state": "RUNNING"\n}\n`,
  },
  { args: DEFAULT, source: OUTPUT, code: 0, prints: /^\{\n {2}"id"/, env: { DATABRICKS_OUTPUT_FORMAT: 'JSON' } },
  { args: DEFAULT, source: OUTPUT, code: 0, prints: `${shared}\n`, env: { DATABRICKS_OUTPUT_FORMAT: 'xml' } },
  {
    args: DEFAULT,
    source: 'experimental/aitools/lib/middlewares/warehouse.go, resolveWarehouse',
    code: 0,
    prints: `${starter}\n`,
    env: { DATABRICKS_WAREHOUSE_ID: starter },
  },
  {
    args: 'current-user me',
    source: 'cmd/workspace/current-user/current-user.go, newMe',
    code: 0,
    prints: new RegExp(`^\\{\\n[^]*"id": "${USERS.ben}",[^]*"userName": "ben@example.com"\\n\\}\\n$`),
  },
  // Flags.
  { args: `-t dev warehouses ${GET} ${ME}`, source: 'cmd/root/bundle.go, initTargetFlag', code: 0, prints: OVERRIDE },
  {
    args: `warehouses ${GET} ${ME} --log-level debug --log-format=json --log-file stderr`,
    source: 'cmd/root/logger.go, initLogFlags',
    code: 0,
    prints: OVERRIDE,
  },
  {
    args: `warehouses ${LIST} --limit -1`,
    source: `${WAREHOUSES_GO}, newListDefaultWarehouseOverrides`,
    code: 1,
    says: '--limit must be a non-negative integer, got -1',
  },
  { args: `warehouses ${GET} ${ME} --nope`, source: 'pflag, ParseErrors', code: 1, says: 'unknown flag: --nope' },
  {
    args: `warehouses ${GET} ${ME} -x`,
    source: 'pflag, ParseErrors',
    code: 1,
    says: "unknown shorthand flag: 'x' in -x",
  },
  {
    args: `warehouses ${GET} ${ME} --output`,
    source: 'pflag, ParseErrors',
    code: 1,
    says: 'flag needs an argument: --output',
  },
  {
    args: `current-user me -o xml`,
    source: 'libs/flags/output.go, Set',
    code: 1,
    says: 'invalid argument "xml" for "-o, --output" flag: accepted arguments are json, text',
  },
  // Arguments.
  { args: `warehouses ${GET}`, source: ARGUMENTS, code: 1, says: 'accepts 1 arg(s), received 0' },
  { args: `warehouses ${CREATE} me`, source: ARGUMENTS, code: 1, says: 'accepts 2 arg(s), received 1' },
  { args: `warehouses ${UPDATE} ${ME} *`, source: ARGUMENTS, code: 1, says: 'accepts 3 arg(s), received 2' },
  { args: 'current-user me you', source: ARGUMENTS, code: 1, says: 'accepts 0 arg(s), received 1' },
  { args: 'auth token me you', source: 'cmd/auth/token.go', code: 1, says: 'accepts at most 1 arg(s), received 2' },
  {
    args: `${DEFAULT} me`,
    source: 'cobra, NoArgs',
    code: 1,
    says: 'unknown command "me" for "causeway experimental aitools tools get-default-warehouse"',
  },
  ...[
    'warehouses',
    'current-user',
    'auth',
    'account',
    'account custom-app-integration',
    'experimental aitools tools',
  ].flatMap((group): Row[] => [
    { args: group, source: UNKNOWN, code: 0, prints: new RegExp(`^Usage: causeway ${group} `) },
    { args: `${group} nope`, source: UNKNOWN, code: 1, says: `unknown command "nope" for "causeway ${group}"` },
  ]),
  // What cannot be done.
  {
    args: 'auth token',
    source: `${TOKEN}, HasClientCredentials`,
    code: 1,
    says: 'Profile "ben" has credentials of its own: users do not sign in to it. Name a profile that a user signs in to: only those have a token to print.',
  },
  {
    args: 'account custom-app-integration create --name dashboards --confidential',
    source: 'cmd/account/custom-app-integration/custom-app-integration.go, newCreate',
    code: 1,
    prints:
      /^databricks account custom-app-integration create --json '\{"name":"dashboards",.*"confidential":true,.*\}'\n$/,
    says: 'Nothing was created: Causeway signs in to workspaces, not to accounts. An account admin runs the command above. Then: causeway login --client-id ID',
  },
];

let cli: CommandLine;
beforeAll(async () => {
  cli = await openCommandLine();
});
afterAll(() => cli[Symbol.asyncDispose]());
beforeEach(() => cli.give('ben', shared));

const run = ({ args, env }: Pick<Row, 'args' | 'env'>): Promise<Run> =>
  runCommand({ ...cli.env, DATABRICKS_CONFIG_PROFILE: 'ben', ...env }, args.split(' '));

describe('as in the Databricks CLI', () => {
  test.each(ROWS)('$args ($source)', async ({ args, env, code, prints = '', says }) => {
    const ran = await run({ args, env: env ?? {} });
    expect(ran.code).toBe(code);
    if (typeof prints === 'string') expect(ran.stdout).toBe(prints);
    else expect(ran.stdout).toMatch(prints);
    expect(ran.stderr.split('\n')[0]).toBe(says === undefined ? '' : `Error: ${says}`);
  });
});

test('a group is where the arguments say, and an argument beside --profile or --host is refused', async () => {
  const { code, stderr } = await run({ args: 'auth token work --profile ben' });
  expect(code).toBe(1);
  expect(stderr).toContain('argument "work" cannot be combined with --host or --profile.');
});

test('current-user me takes the attributes that it is asked for', async () => {
  const { stdout } = await run({ args: 'current-user me --attributes userName' });
  expect(Object.keys(JSON.parse(stdout))).toContain('userName');
  expect(cli.workspace.requests.list({ path: '*/Me' }).at(-1)?.query).toMatchObject({ attributes: 'userName' });
});

test('a body for an application is passed on as one argument of a shell', async () => {
  const body = `{"name":"ana's"}`;
  const { stdout } = await runCommand(cli.env, ['account', 'custom-app-integration', 'create', '--json', body]);
  expect(stdout).toBe(`databricks account custom-app-integration create --json '{"name":"ana'\\''s"}'\n`);
});
