import { z } from 'zod';
import { ANSWERS } from '../../main/cli/answers/answers.ts';
import { failed } from '../../main/cli/answers/failure.ts';
import { MEMBER_TEXTS, SHAPES } from '../../main/cli/answers/named.ts';
import { ERROR_FACTS } from '../../preload/contract/error-facts.ts';
import { errorCode } from '../../preload/contract/parts.ts';
import { MADE, table } from './markdown.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** The JSON Schema of each answer, by its command; `error` is what a command prints that fails. */
export function answerSchemas(): Map<string, Schema> {
  return new Map([
    ...Object.entries(ANSWERS).map(([name, schema]) => [name, schemaOf(schema, `causeway ${name} --json`)] as const),
    ['error', schemaOf(failed, 'A command that fails, with --json')],
  ]);
}

function schemaOf(schema: z.ZodType, title: string): Schema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    metadata: SHAPES,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // These are checked by a function, which has no schema of its own.
      if (zodSchema === errorCode) Object.assign(jsonSchema, { type: 'string', enum: Object.keys(ERROR_FACTS) });
      const text = MEMBER_TEXTS.get(zodSchema);
      if (text !== undefined) jsonSchema.description = text;
    },
  });
  return { ...($schema && { $schema }), title, ...rest };
}

/** The file of an answer's schema. */
export function schemaFile(name: string): string {
  return `${name.replaceAll(/[ -]+/g, '-')}.json`;
}

/** The heading of an answer, as it is linked to. */
export function anchorOf(name: string): string {
  return name.replaceAll(' ', '-');
}

/** The page with the shapes that answers are made of, and the answer of each command. */
export function jsonPage(): string {
  const schemas = answerSchemas();
  const shapes = new Map([...schemas.values()].flatMap((schema) => Object.entries(schema.$defs ?? {})));
  return `# JSON

${MADE}

With \`--json\`, a command prints one JSON document on stdout and nothing else: an object with the members below. With \`--watch\`, it prints one such
object on each line. Everything else is on stderr, and \`--quiet\` leaves that out except for errors.

- One thing has one shape wherever it is printed. Names are in camelCase.
- Absent values are \`null\`. Times are in ISO 8601. Numbers whose name ends in \`Ms\` are milliseconds. States are identifiers, which do not change.
- \`problem\`, \`message\`, \`remedy\` and \`warnings\` are sentences for people, and may change. \`error\` is a [failure](#failure).
- A command that fails prints \`{"error": …}\` with a [failure](#failure), and nothing else. What has begun to arrive, as of \`warehouse all\`, ends in the
  middle then. Look at the exit code first.
- Later versions may add members. They rename and remove none without saying so in the changelog.

The commands of the Databricks CLI (\`warehouses\`, \`current-user\`, \`auth\`, \`account\`, \`experimental\`) print what that CLI prints, in its spelling.
\`clients json\` without \`--json\` prints what to paste into a file, and \`policy schema\` and \`provision --schema\` print a JSON Schema.

[schemas/](schemas/) has a JSON Schema for each command; \`schemas/error.json\` is that of a failure. A test runs every command and fails if what it
prints differs from these.

## Shapes

${[...shapes].map(([name, schema]) => shapeSection(name, schema)).join('\n')}
## Answers

${Object.keys(ANSWERS)
  .map((name) => answerSection(name, schemas.get(name) ?? {}))
  .join('\n')}`;
}

function shapeSection(name: string, schema: Schema): string {
  return `### ${name}\n\n${schema.description ?? ''}\n\n${membersTable(schema)}`;
}

function answerSection(name: string, schema: Schema): string {
  return `### ${name}\n\n[Schema](schemas/${schemaFile(name)})\n\n${membersTable(schema)}`;
}

/** The meanings of members that many answers have. */
const COMMON: Readonly<Record<string, string>> = {
  affected: 'How many users that concerns.',
  change: 'What was changed; null if nothing was.',
  changes: 'What became of each.',
  checks: 'The checks, failures first.',
  dryRun: 'Whether this is only what would be done.',
  error: 'Why it failed; null if it did not.',
  file: 'The path of the file.',
  journal: 'The id of the journal that undoes it; null if nothing was changed.',
  leftOut: 'What is not in the answer, and why, as sentences.',
  place: 'Where, and as whom; null if nothing was changed.',
  server: 'The server.',
  version: "Causeway's version.",
  warnings: 'What else there is to know, as sentences.',
};

function membersTable({ properties = {} }: Schema): string {
  const rows = Object.entries(properties).map(([name, member]) => {
    const text = (typeof member === 'object' ? member.description : undefined) ?? COMMON[name] ?? '';
    return [`\`${name}\``, name === 'code' ? 'string' : typeText(member), text.replace('exit-codes.md', '[$&]($&)')];
  });
  return table(['member', 'type', 'meaning'], rows);
}

/** A type in words; a named shape as a link. */
function typeText(schema: Schema | boolean): string {
  if (typeof schema === 'boolean') return 'anything';
  if (schema.$ref !== undefined) return linkTo(schema.$ref);
  if (schema.allOf?.[0]) return typeText(schema.allOf[0]);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(typeText).join(' or ');
  if (schema.enum) return schema.enum.map((each) => `\`${each}\``).join(', ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  switch (schema.type) {
    case 'array': {
      const [item] = [schema.items ?? true].flat();
      return `list of ${typeText(item ?? true)}`;
    }
    case 'object':
      return objectText(schema);
    case 'null':
      return '`null`';
    case undefined:
      return 'anything';
    default:
      return [schema.type].flat().join(' or ');
  }
}

function objectText({ properties, additionalProperties }: Schema): string {
  if (!properties) {
    const value = typeof additionalProperties === 'object' ? additionalProperties : true;
    return `object by name of ${typeText(value)}`;
  }
  return `object with ${Object.entries(properties)
    .map(([name, member]) => `\`${name}\` (${typeText(member)})`)
    .join(', ')}`;
}

function linkTo(ref: string): string {
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  return `[${name}](#${name.toLowerCase()})`;
}
