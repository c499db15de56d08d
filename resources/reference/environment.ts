import { VARIABLES as PROFILE_VARIABLES } from '../../main/auth/profiles/variables.ts';
import { MADE, table } from './markdown.ts';

/** A variable that the product reads, and what goes before it or comes after it. */
interface Variable {
  name: string;
  does: string;
  order: string;
}

/** The variables of Causeway, and those that decide about profiles and the network beside the members of a profile. */
const VARIABLES: readonly Variable[] = [
  {
    name: 'CAUSEWAY_HOME',
    does: 'A folder for the settings, state and log of Causeway.',
    order: "Before the system's usual folders.",
  },
  {
    name: 'CAUSEWAY_TOKEN_STORE',
    does: 'Where tokens are kept: `keychain`, `memory`, or `encrypted-file` where there is no keychain.',
    order: "After the organization's policy, before the setting of the window.",
  },
  {
    name: 'CAUSEWAY_TOKEN_KEY_FILE',
    does: 'The file with the key of `encrypted-file`.',
    order: 'Before `token-key` in the settings folder.',
  },
  {
    name: 'DATABRICKS_CONFIG_FILE',
    does: 'The file of profiles. One that does not exist counts as empty.',
    order: 'Before `.databrickscfg` in the home folder.',
  },
  {
    name: 'DATABRICKS_CONFIG_PROFILE',
    does: 'The profile to use.',
    order: 'After `--profile`, before `DATABRICKS_HOST` and the default of the file.',
  },
  {
    name: 'DATABRICKS_WAREHOUSE_ID',
    does: 'The warehouse that the Databricks CLI resolves to: for `get-default-warehouse`, and for the comparison with it.',
    order: 'Before the override.',
  },
  {
    name: 'DATABRICKS_OUTPUT_FORMAT',
    does: '`text` or `json`, for `experimental aitools tools get-default-warehouse`.',
    order: 'After `--output`.',
  },
  {
    name: 'AI_GATEWAY_REQUEST_TAGS',
    does: 'Tags of an AI client\'s requests to the gateway, as one line of JSON, such as `{"team":"data"}`.',
    order: 'After the tags that the policy locks, before `causeway settings tags`.',
  },
  {
    name: 'DATABRICKS_CLI_PATH',
    does: 'The Databricks CLI, for profiles with `auth_type = databricks-cli`.',
    order: 'After `databricks_cli_path` of the profile, before the PATH.',
  },
  {
    name: 'DATABRICKS_OAUTH_CALLBACK_PORT',
    does: 'The port on which a sign-in waits for the browser.',
    order: 'After `--callback-port` and the profile.',
  },
  {
    name: 'DATABRICKS_OIDC_TOKEN',
    does: 'The ID token of profiles with `auth_type = env-oidc`.',
    order: 'After the variable that `oidc_token_env` names.',
  },
  {
    name: 'ACTIONS_ID_TOKEN_REQUEST_URL',
    does: "Where GitHub Actions gives a job's ID token, with `ACTIONS_ID_TOKEN_REQUEST_TOKEN`; for `github-oidc`.",
    order: 'Set by GitHub.',
  },
  {
    name: 'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
    does: 'The token for that.',
    order: 'Set by GitHub.',
  },
  {
    name: 'HTTPS_PROXY',
    does: 'The proxy to https addresses. `https_proxy` counts too.',
    order: 'After `https_proxy`, before `HTTP_PROXY` and the proxy of the system.',
  },
  {
    name: 'HTTP_PROXY',
    does: 'The proxy to http addresses, and to https where there is no other. `http_proxy` counts too.',
    order: 'After `http_proxy`, before the proxy of the system.',
  },
  { name: 'NO_PROXY', does: 'Hosts that are reached directly. `no_proxy` counts too.', order: 'After `no_proxy`.' },
  {
    name: 'NODE_EXTRA_CA_CERTS',
    does: 'A file with certificate authorities to trust.',
    order: 'Beside those of the system.',
  },
  {
    name: 'SSL_CERT_FILE',
    does: 'A file with certificate authorities to trust.',
    order: 'Beside those of the system.',
  },
  { name: 'XDG_CONFIG_HOME', does: 'The folder of settings on Linux.', order: 'After `CAUSEWAY_HOME`.' },
  { name: 'XDG_STATE_HOME', does: 'The folder of state and log on Linux.', order: 'After `CAUSEWAY_HOME`.' },
  { name: 'NO_COLOR', does: 'Prints no bold text.', order: 'Bold text is printed on a terminal only.' },
];

/** The names of all variables on the page. */
export function documentedVariables(): string[] {
  return [...VARIABLES.map(({ name }) => name), ...Object.values(PROFILE_VARIABLES)];
}

/** The page with every variable, and what goes before it. */
export function environmentPage(): string {
  const members = Object.entries(PROFILE_VARIABLES).map(([member, name]) => [`\`${name}\``, `\`${member}\``]);
  return `# Environment variables

${MADE}

What is on the command line goes before the environment, the environment before the configuration file. No variable moves or weakens the policy of
an organization ([policy.md](../policy.md)).

${table(
  ['variable', 'what it decides', 'order'],
  VARIABLES.map(({ name, does, order }) => [`\`${name}\``, does, order]),
)}
## Members of a profile

[authentication.md](../authentication.md) says which profile is used. With \`--profile\`, these are not read. With \`DATABRICKS_CONFIG_PROFILE\` or the
\`default_profile\` of the file, they take the place of the profile's own credentials. With \`DATABRICKS_HOST\`, they count alone, and nothing of the file.

${table(['variable', 'member'], members)}`;
}
