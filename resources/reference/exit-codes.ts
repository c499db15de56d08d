import { EXIT_CODES } from '../../main/cli/failure.ts';
import { ERROR_FACTS } from '../../preload/contract/error-facts.ts';
import { MADE, table } from './markdown.ts';

const FROM = {
  here: 'this computer',
  'sign-in': 'the sign-in',
  workspace: 'the workspace',
  between: 'what is between',
} as const;

/** The page with the exit codes, and the code of each failure. */
export function exitCodesPage(): string {
  const codes = Object.entries(EXIT_CODES).map(([code, meaning]) => [code, meaning]);
  const failures = Object.entries(ERROR_FACTS)
    .sort(([, a], [, b]) => a.exit - b.exit)
    .map(([code, { exit, from }]) => [`\`${code}\``, String(exit), FROM[from]]);
  return `# Exit codes

${MADE}

Of every command except \`causeway proxy\` and the commands of the Databricks CLI. The latter end as that CLI does: with 0 or 1, and with 130 if they are
interrupted.

${table(['exit code', 'meaning'], codes)}
## Failures

The same failure has the same exit code in every command. With \`--json\`, \`error.code\` names it. If a command works on several things and some fail, as
\`servers test\` and \`clients add\`, its exit code is that of the failures if they agree, and 1 otherwise.

${table(['code', 'exit code', 'comes from'], failures)}
A change that may have been made although its answer was lost ends with 1, whatever the failure: look before you repeat it.

## Checks

- \`causeway status\` ends with 0 whatever it shows. With \`--check\`, it ends with the exit code of what does not work.
- \`causeway diagnose\` and \`causeway warehouse verify\` end with 5 if nothing failed but a check could not be made.
- \`causeway warehouse import --dry-run --fail-on-change\` ends with 6 if something would change.
- \`causeway logout\` ends with 0 if nobody was signed in.
- A no to a question ends its command with 130. So do Ctrl+C and Ctrl+D. In each case, what was asked about is not done.
- \`causeway policy check\` ends with 1 if the policy should not be installed, with \`--strict\` also on warnings.
`;
}
