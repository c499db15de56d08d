/**
 * At least one example for each command that a person types, by its whole name. Each stands in the command's help, and a
 * test runs each past the command's own parser.
 */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  causeway: [
    'causeway login --host https://adb-1.azuredatabricks.net',
    'causeway servers add sql',
    'causeway clients add',
  ],
  'causeway help': ['causeway help warehouse set'],
  'causeway proxy': ['causeway proxy --profile DEFAULT --path /api/2.0/mcp/sql'],
  'causeway status': ['causeway status', 'causeway status --watch', 'causeway status --profile work --json'],
  'causeway diagnose': ['causeway diagnose', 'causeway diagnose --profile work --report causeway-report.txt'],
  'causeway completion': ['causeway completion bash', 'causeway completion zsh > ~/.zfunc/_causeway'],

  'causeway login': [
    'causeway login --host https://adb-1.azuredatabricks.net',
    'causeway login --profile work --no-browser',
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
  'causeway warehouse stop': ['causeway warehouse stop Shared endpoint'],
  'causeway warehouse verify': ['causeway warehouse verify', 'causeway warehouse verify --end-to-end Shared endpoint'],
  'causeway warehouse for': [
    'causeway warehouse for ana@example.com',
    'causeway warehouse for ana@example.com set Shared endpoint',
    'causeway warehouse for ana@example.com clear',
  ],
  'causeway warehouse all': ['causeway warehouse all', 'causeway warehouse all --dangling'],
  'causeway warehouse import': ['causeway warehouse import overrides.csv --dry-run'],
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

  'causeway servers': ['causeway servers'],
  'causeway servers list': ['causeway servers list --json'],
  'causeway servers add': [
    'causeway servers add sql',
    'causeway servers add genie 01ef9a1b2c3d4e5f --name sales',
    'causeway servers add functions main.default',
    'causeway servers add --path /api/2.0/mcp/external/github',
  ],
  'causeway servers remove': ['causeway servers remove databricks-sql'],
  'causeway servers test': ['causeway servers test', 'causeway servers test databricks-sql --json'],

  'causeway clients': ['causeway clients'],
  'causeway clients list': ['causeway clients list --all'],
  'causeway clients diff': ['causeway clients diff cursor'],
  'causeway clients json': ['causeway clients json', 'causeway clients json cursor --server databricks-sql'],
  'causeway clients add': ['causeway clients add', 'causeway clients add cursor --dry-run'],
  'causeway clients remove': ['causeway clients remove cursor --server databricks-sql'],
  'causeway clients repair': ['causeway clients repair'],
  'causeway clients backups': ['causeway clients backups'],
  'causeway clients restore': ['causeway clients restore cursor-1 --dry-run'],
};
