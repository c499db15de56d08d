import { choicesOf, isTextList, type Member, memberSchema, membersOf, type Schema } from './members.ts';

/** The page with every member of a policy and of a permissions file, made from their schemas. */
export function referencePage(policy: Schema, permissions: Schema): string {
  return `# Members of a policy and of a permissions file

Made by \`npm run policy-files\` from the schemas that read these files. Do not edit it.

## A policy

[policy.md](policy.md) says where it is and what each key does. Each key has the members \`value\`, \`locked\` and perhaps \`reason\`. \`[]\` means
each element of a list, a name in capitals any name.

${tableOf(policyMembers(policy))}
## A permissions file

\`permissions.json\` in the settings folder, which \`causeway permissions\` and the window write ([permissions.md](permissions.md)). \`rules.value\` of a policy, and \`rules\` of
a file for a team, have the same members without \`version\` and \`history\`. \`SERVER\` is the whole address of a server, and in a policy also its
path, or an address whose host is a pattern. \`ID\` is a name of your choice for a client; each that \`servers\` names is described in \`clients\`.

${tableOf(membersOf(permissions))}
What is narrower decides; among permissions of one scope \`off\` goes before \`ask\`, and \`ask\` before \`on\`. \`readOnly\` for everything, or for a client on
every server, has no exceptions. A file with a member that is not here is not read: then no tool may be called.
`;
}

/** The members of a policy: of its keys the values, what every key has besides once, and of its permissions not what the other table has. */
function policyMembers(policy: Schema): Member[] {
  const keys = Object.keys(policy.properties ?? {}).filter((name) => isEntry(memberSchema(policy, name)));
  const [first] = keys;
  const described = (member: Member): Member => {
    const [key = '', ...rest] = member.path.split('.');
    if (rest.join('.') !== 'value') return member;
    const { description } = memberSchema(policy, key);
    return { ...member, schema: { ...member.schema, ...(description === undefined ? {} : { description }) } };
  };
  const all = membersOf(policy);
  const isShared = ({ path }: Member) => /^\w+\.(locked|reason)$/.test(path);
  const isKey = ({ path }: Member) => keys.includes(path);
  const isOfPermissions = ({ path }: Member) => path.startsWith('rules.value.');
  const shared = all.filter((member) => isShared(member) && member.path.startsWith(`${first}.`));
  return [
    ...all.filter((member) => !isShared(member) && !isKey(member) && !isOfPermissions(member)).map(described),
    ...shared.map((member) => ({ ...member, path: member.path.replace(/^\w+/, 'KEY') })),
  ];
}

/** Whether a member of a policy is a decision, with a value and a lock. */
export function isEntry({ properties = {} }: Schema): boolean {
  return 'value' in properties && 'locked' in properties;
}

function tableOf(members: readonly Member[]): string {
  const rows = members.map(({ path, schema, isRequired, hasMembers }) => [
    `\`${path}\``,
    `${typeText(schema, hasMembers)}${isRequired ? ', required' : ''}`,
    exampleText(schema),
    schema.description ?? '',
  ]);
  const lines = [['member', 'type', 'example', 'meaning'], ['---', '---', '---', '---'], ...rows];
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}

function exampleText({ examples }: Schema): string {
  return examples?.[0] === undefined ? '' : `\`${JSON.stringify(examples[0])}\``;
}

/** The type of a member, in words. */
function typeText(schema: Schema, hasMembers: boolean): string {
  const choices = choicesOf(schema);
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (choices) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (isTextList(schema)) return 'list of texts';
  switch (schema.type) {
    case 'boolean':
      return '`true`, `false`';
    case 'integer':
      return `number from ${schema.minimum} to ${schema.maximum}`;
    case 'string':
      return schema.format === 'uri' ? 'address' : 'text';
    case 'array':
      return 'list of objects';
    default:
      return !hasMembers || schema.properties ? 'object' : 'object by name';
  }
}
