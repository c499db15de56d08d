import type { Command } from 'commander';
import type { CommandContext } from './command.ts';
import { EXIT_CODES, noSuchCommand, pathOf } from './failure.ts';
import { columns } from './layout.ts';
import { flowedIn } from './terminal.ts';

/** What `causeway help` also explains. */
const EXIT_CODES_TOPIC = 'exit-codes';

/** Adds `help [COMMAND…]`, and to each command's help its examples. */
export function addHelp(program: Command, context: CommandContext): void {
  program
    .command('help [command...]')
    .description('show help for a command, for example: causeway help warehouse set')
    .helpOption(false)
    .action((names: string[]) => {
      const text = names.join(' ') === EXIT_CODES_TOPIC ? exitCodesText() : helpTextOf(commandNamed(program, names));
      context.stdout.write(flowedIn(context.stdout, text));
    });
  program.addHelpText('after', `\n\`causeway help ${EXIT_CODES_TOPIC}\` lists the exit codes.`);
  program.helpCommand(false);
  addExamples(program);
}

function addExamples(command: Command): void {
  const examples = EXAMPLES[pathOf(command)] ?? [];
  const lines = examples.map((example) => `  $ ${example}`);
  const heading = examples.length === 1 ? 'Example:' : 'Examples:';
  if (lines.length > 0) command.addHelpText('after', ['', heading, ...lines].join('\n'));
  if (command.parent && command.commands.length > 0) command.helpCommand(true);
  command.commands.forEach(addExamples);
}

function exitCodesText(): string {
  const rows = Object.entries(EXIT_CODES).map(([code, meaning]) => [`  ${code}`, meaning]);
  return ['Exit codes of every command:', ...columns(rows), '', OTHER_EXIT_CODES, ''].join('\n');
}

const OTHER_EXIT_CODES = `A no to a question ends its command with 130. So do Ctrl+C and Ctrl+D.
The commands of the Databricks CLI end as it does: with 0, 1 or 130. \`causeway proxy --help\` has its own.`;

/** The complete output of `--help`. */
function helpTextOf(command: Command): string {
  let text = '';
  const before = command.configureOutput();
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  command.configureOutput(before);
  return text;
}

/** @throws {CausewayError} `usage`, which lists the commands */
function commandNamed(program: Command, names: readonly string[]): Command {
  return names.reduce((at, name) => {
    const found = at.commands.find((command) => command.name() === name || command.aliases().includes(name));
    if (found) return found;
    throw noSuchCommand(name, at);
  }, program);
}

/**
 * At least one example for each command that a user types, by its whole name. Each is in the command's help, and a
 * test runs each past the command's own parser.
 */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  causeway: ['causeway up https://adb-1.azuredatabricks.net', 'causeway servers browse', 'causeway warehouse'],
  'causeway help': ['causeway help warehouse set', 'causeway help exit-codes'],
  'causeway proxy': ['causeway proxy --profile DEFAULT --path /api/2.0/mcp/sql', 'causeway proxy --all'],
  'causeway up': ['causeway up https://adb-1.azuredatabricks.net', 'causeway up --client claude-code codex --yes'],
  'causeway status': ['causeway status', 'causeway status --watch', 'causeway status --profile work --json'],
  'causeway activity': ['causeway activity', 'causeway activity --follow', 'causeway activity --failed --since 2h'],
  'causeway activity statement': ['causeway activity statement 01f0c8a2-77aa-1b2c-9d3e-4f5a6b7c8d9e'],
  'causeway activity cancel': ['causeway activity cancel 01f0c8a2-77aa-1b2c-9d3e-4f5a6b7c8d9e'],
  'causeway activity delete': [
    'causeway activity delete --day 2026-11-27',
    'causeway activity delete --client codex',
    'causeway activity delete --all --yes',
  ],
  'causeway diagnose': ['causeway diagnose', 'causeway diagnose --profile work --report causeway-report.txt'],
  'causeway uninstall': ['causeway uninstall', 'causeway uninstall --yes'],
  'causeway completion': ['causeway completion bash', 'causeway completion zsh > ~/.zfunc/_causeway'],

  'causeway login': [
    'causeway login --host https://adb-1.azuredatabricks.net',
    'causeway login --profile work --no-browser',
    'causeway login --profile work --device-code',
    'causeway login --profile work --client-id 5f1c2b7e --scopes sql,genie',
  ],
  'causeway logout': ['causeway logout --profile work'],
  'causeway profiles': ['causeway profiles', 'causeway profiles --skip-validate --json'],
  'causeway whoami': ['causeway whoami', 'causeway whoami --profile work --json'],

  'causeway warehouse': ['causeway warehouse', 'causeway warehouse --compare'],
  'causeway warehouse list': ['causeway warehouse list', 'causeway warehouse list finance --usable'],
  'causeway warehouse set': [
    'causeway warehouse set Shared endpoint',
    'causeway warehouse set 8baced1ff014912d --json',
  ],
  'causeway warehouse last-selected': ['causeway warehouse last-selected'],
  'causeway warehouse clear': ['causeway warehouse clear'],
  'causeway warehouse start': ['causeway warehouse start Shared endpoint'],
  'causeway warehouse stop': [
    'causeway warehouse stop Shared endpoint',
    'causeway warehouse stop 8baced1ff014912d --yes',
  ],
  'causeway warehouse verify': [
    'causeway warehouse verify',
    'causeway warehouse verify --prove',
    'causeway warehouse verify --pin "finance bi"',
    'causeway warehouse verify --cold Shared endpoint',
  ],
  'causeway warehouse for': [
    'causeway warehouse for ana@example.com',
    'causeway warehouse for ana@example.com set Shared endpoint',
    'causeway warehouse for ana@example.com clear --yes',
  ],
  'causeway warehouse default': [
    'causeway warehouse default',
    'causeway warehouse default set Shared endpoint',
    'causeway warehouse default clear --yes',
  ],
  'causeway warehouse all': ['causeway warehouse all', 'causeway warehouse all --dangling'],
  'causeway warehouse import': [
    'causeway warehouse import overrides.csv --dry-run',
    'causeway warehouse import overrides.csv --only',
    'causeway warehouse import --undo last',
  ],
  'causeway warehouse assign': ['causeway warehouse assign Shared endpoint --group finance'],
  'causeway warehouse journals': ['causeway warehouse journals'],
  'causeway warehouse export': ['causeway warehouse export overrides.csv'],

  'causeway warehouses': ['causeway warehouses list-default-warehouse-overrides'],
  'causeway warehouses create-default-warehouse-override': [
    'causeway warehouses create-default-warehouse-override me CUSTOM --warehouse-id 8baced1ff014912d',
  ],
  'causeway warehouses get-default-warehouse-override': [
    'causeway warehouses get-default-warehouse-override default-warehouse-overrides/me',
  ],
  'causeway warehouses update-default-warehouse-override': [
    'causeway warehouses update-default-warehouse-override default-warehouse-overrides/me type LAST_SELECTED',
  ],
  'causeway warehouses list-default-warehouse-overrides': ['causeway warehouses list-default-warehouse-overrides'],
  'causeway warehouses delete-default-warehouse-override': [
    'causeway warehouses delete-default-warehouse-override default-warehouse-overrides/me',
  ],

  'causeway current-user': ['causeway current-user me --profile work'],
  'causeway current-user me': ['causeway current-user me --profile work'],
  'causeway auth': ['causeway auth token --profile work'],
  'causeway auth token': [
    'causeway auth token --host https://adb-1.azuredatabricks.net',
    'causeway auth token work --output text',
  ],
  'causeway auth login': ['causeway auth login --host https://adb-1.azuredatabricks.net'],
  'causeway account': ['causeway account custom-app-integration create'],
  'causeway account custom-app-integration': ['causeway account custom-app-integration create'],
  'causeway account custom-app-integration create': ['causeway account custom-app-integration create --name causeway'],
  'causeway experimental': ['causeway experimental aitools tools get-default-warehouse'],
  'causeway experimental aitools': ['causeway experimental aitools tools get-default-warehouse'],
  'causeway experimental aitools tools': ['causeway experimental aitools tools get-default-warehouse'],
  'causeway experimental aitools tools get-default-warehouse': [
    'causeway experimental aitools tools get-default-warehouse --profile work',
  ],

  'causeway servers': ['causeway servers'],
  'causeway servers list': ['causeway servers list --json'],
  'causeway servers browse': [
    'causeway servers browse',
    'causeway servers browse --kind services connections --search tickets',
    'causeway servers browse --in main.support --json',
  ],
  'causeway servers add': [
    'causeway servers add sql',
    'causeway servers add system.ai.github',
    'causeway servers add "genie:Sales and orders" --name sales',
    'causeway servers add functions main.default',
    'causeway servers add --path /api/2.0/mcp/external/github',
    'causeway servers add app:mcp-inventory',
    'causeway servers add sql --name sql-small --meta warehouse_id=8baced1ff014912d',
  ],
  'causeway servers set': ['causeway servers set databricks-sql --meta warehouse_id=8baced1ff014912d'],
  'causeway servers move': ['causeway servers move databricks-sql --dry-run'],
  'causeway servers remove': ['causeway servers remove databricks-sql'],
  'causeway servers test': ['causeway servers test', 'causeway servers test databricks-sql --json'],
  'causeway servers start': ['causeway servers start mcp-inventory', 'causeway servers start app:mcp-inventory'],
  'causeway servers sign-in': [
    'causeway servers sign-in github',
    'causeway servers sign-in system.ai.github --profile work --no-browser',
  ],
  'causeway servers sign-out': ['causeway servers sign-out github'],

  'causeway clients': ['causeway clients'],
  'causeway clients list': ['causeway clients list --all', 'causeway clients list codex'],
  'causeway clients test': ['causeway clients test', 'causeway clients test codex --json'],
  'causeway clients diff': ['causeway clients diff cursor'],
  'causeway clients json': ['causeway clients json', 'causeway clients json cursor --server databricks-sql'],
  'causeway clients add': [
    'causeway clients add',
    'causeway clients add cursor --all-in-one',
    'causeway clients add cursor --dry-run',
    'causeway clients add cursor --server databricks-sql --meta warehouse_id=8baced1ff014912d',
  ],
  'causeway clients remove': ['causeway clients remove cursor --server databricks-sql'],
  'causeway clients repair': ['causeway clients repair'],
  'causeway clients backups': ['causeway clients backups'],
  'causeway clients restore': ['causeway clients restore cursor-1 --dry-run'],

  'causeway provision': [
    'causeway provision team.yaml --dry-run',
    'causeway provision team.yaml',
    'causeway provision --export team.yaml',
  ],

  'causeway audit': ['causeway audit'],
  'causeway audit on': ['causeway audit on', 'causeway audit on --otlp http://localhost:4318'],
  'causeway audit off': ['causeway audit off'],

  'causeway dashboard': ['causeway dashboard install --dry-run'],
  'causeway dashboard install': [
    'causeway dashboard install',
    'causeway dashboard install --folder /Shared --warehouse shared',
  ],
  'causeway dashboard show': ['causeway dashboard show'],
  'causeway dashboard print': [
    'causeway dashboard print > agents.lvdash.json',
    'causeway dashboard print grafana > agents.json',
  ],

  'causeway policy': ['causeway policy show'],
  'causeway policy show': ['causeway policy show', 'causeway policy show --json'],
  'causeway policy check': ['causeway policy check policy.json', 'causeway policy check policy.json --strict --json'],
  'causeway policy schema': ['causeway policy schema > policy.schema.json'],

  'causeway settings': ['causeway settings', 'causeway settings --json'],
  'causeway settings list': ['causeway settings list'],
  'causeway settings get': ['causeway settings get tokenStore'],
  'causeway settings set': [
    'causeway settings set tokenStore encrypted-file',
    'causeway settings set notifications off',
  ],
  'causeway settings tags': ['causeway settings tags', 'causeway settings tags --json'],
  'causeway settings tags list': ['causeway settings tags list'],
  'causeway settings tags set': ['causeway settings tags set team=data cost_center=4711'],
  'causeway settings tags clear': ['causeway settings tags clear team', 'causeway settings tags clear --all'],
  'causeway settings reset': ['causeway settings reset logLevel', 'causeway settings reset --all'],

  'causeway permissions': ['causeway permissions'],
  'causeway permissions list': ['causeway permissions list --json'],
  'causeway permissions set': [
    'causeway permissions set --all --read-only',
    'causeway permissions set databricks-sql --client codex --read-only',
    'causeway permissions set databricks-sql --off execute_sql',
    'causeway permissions set github --ask create_issue --new ask',
  ],
  'causeway approvals': ['causeway approvals', 'causeway approvals --watch'],
  'causeway approvals list': ['causeway approvals list --json'],
  'causeway approvals allow': ['causeway approvals allow 1'],
  'causeway approvals block': ['causeway approvals block 1'],
  'causeway approvals extend': ['causeway approvals extend 1'],
  'causeway approvals revoke': ['causeway approvals revoke'],

  'causeway permissions clear': ['causeway permissions clear databricks-sql --client codex'],
};
