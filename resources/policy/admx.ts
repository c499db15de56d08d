import { choicesOf, isTextList, memberSchema, type Schema } from './members.ts';
import { isEntry } from './reference.ts';

/** Where `main/permissions/policy/registry.ts` reads what the template writes. */
const KEY = String.raw`Software\Policies\Causeway`;
/** How many characters a text may have: group policy's default of 1,023 is too few for rules. */
const MAX_TEXT = 16_000;

/** A setting of the template: a member of a policy, with one field for a head, and three for a decision. */
interface Setting {
  name: string;
  title: string;
  explanation: string;
  key: string;
  fields: Field[];
}

/** A value in the registry. Its id is unique in its setting. */
interface Field {
  id: string;
  valueName: string;
  label: string;
  isRequired: boolean;
  kind: 'text' | 'list' | 'switch' | 'checkbox' | string[];
}

/** What the template does not offer: the reader knows the version, and editors alone read `$schema`. */
const LEFT_OUT = ['$schema', 'version'];

function settingsOf(policy: Schema): Setting[] {
  const names = Object.keys(policy.properties ?? {}).filter((name) => !LEFT_OUT.includes(name));
  return names.map((name) => {
    const schema = memberSchema(policy, name);
    const explanation = plain(schema.description ?? '');
    const title = schema.title ?? `${name[0]?.toUpperCase()}${name.slice(1)}`;
    if (!isEntry(schema)) {
      const field = { id: 'text', valueName: name, label: title, isRequired: true, kind: kindOf(schema) };
      return { name, title, explanation, key: KEY, fields: [field] };
    }
    const value = memberSchema(schema, 'value');
    const label = (member: string) => plain(memberSchema(schema, member).description ?? '');
    const isJson = kindOf(value) === 'text';
    const example = value.examples?.[0] ?? exampleOf(value);
    const shown = isTextList(value) && Array.isArray(example) ? example.join(', ') : JSON.stringify(example);
    const help = isJson
      ? ` The value is JSON. Example: ${shown}`
      : isTextList(value)
        ? ` One in each line. Example: ${shown}`
        : '';
    return {
      name,
      title,
      explanation: explanation + help,
      key: `${KEY}\\${name}`,
      fields: [
        {
          id: 'value',
          valueName: 'value',
          label: isJson ? `${title}, in JSON` : title,
          isRequired: true,
          kind: kindOf(value),
        },
        { id: 'locked', valueName: 'locked', label: label('locked'), isRequired: true, kind: 'checkbox' },
        { id: 'reason', valueName: 'reason', label: label('reason'), isRequired: false, kind: 'text' },
      ],
    };
  });
}

/** An object with the examples of its required members. */
function exampleOf(schema: Schema): unknown {
  if (schema.examples) return schema.examples[0];
  const [element] = [schema.items].flat();
  if (typeof element === 'object') return [exampleOf(element)];
  const names = Object.keys(schema.properties ?? {});
  const shown = schema.required && schema.required.length > 0 ? schema.required : names.slice(0, 1);
  return Object.fromEntries(shown.map((name) => [name, exampleOf(memberSchema(schema, name))]));
}

function kindOf(schema: Schema): Field['kind'] {
  if (schema.type === 'boolean') return 'switch';
  return choicesOf(schema) ?? (isTextList(schema) ? 'list' : 'text');
}

/** The administrative template for group policy on Windows. */
export function admx(policy: Schema): string {
  const settings = settingsOf(policy).map(
    ({
      name,
      key,
      fields,
    }) => `    <policy name="${name}" class="Machine" displayName="$(string.${name})" explainText="$(string.${name}_explained)" key="${xml(key)}" presentation="$(presentation.${name})">
      <parentCategory ref="Causeway" />
      <supportedOn ref="Supported" />
      <elements>
${fields.map((field) => elementOf(name, field)).join('\n')}
      </elements>
    </policy>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<policyDefinitions xmlns="http://schemas.microsoft.com/GroupPolicy/2006/07/PolicyDefinitions" revision="1.0" schemaVersion="1.0">
  <policyNamespaces>
    <target prefix="causeway" namespace="Causeway.Policies" />
  </policyNamespaces>
  <resources minRequiredRevision="1.0" />
  <supportedOn>
    <definitions>
      <definition name="Supported" displayName="$(string.Supported)" />
    </definitions>
  </supportedOn>
  <categories>
    <category name="Causeway" displayName="$(string.Causeway)" />
  </categories>
  <policies>
${settings.join('\n')}
  </policies>
</policyDefinitions>
`;
}

function elementOf(setting: string, { id, valueName, isRequired, kind }: Field): string {
  const common = `id="${setting}_${id}" valueName="${valueName}"`;
  const required = isRequired ? ' required="true"' : '';
  const decimal = (value: number) => `<value><decimal value="${value}" /></value>`;
  const items = (values: readonly (readonly [string, string])[]) =>
    `        <enum ${common}${required}>\n${values
      .map(([name, value]) => `          <item displayName="$(string.${name})">${value}</item>`)
      .join('\n')}\n        </enum>`;
  switch (kind) {
    case 'checkbox':
      return `        <boolean ${common}>
          <trueValue><decimal value="1" /></trueValue>
          <falseValue><decimal value="0" /></falseValue>
        </boolean>`;
    case 'switch':
      return items([
        ['True', decimal(1)],
        ['False', decimal(0)],
      ]);
    case 'list':
      return `        <multiText ${common}${required} />`;
    case 'text':
      return `        <text ${common}${required} maxLength="${MAX_TEXT}" />`;
    default:
      if (typeof kind === 'string') throw new Error(`There is no field of the kind ${kind}.`);
      return items(
        kind.map((choice) => [`${setting}_${identifier(choice)}`, `<value><string>${xml(choice)}</string></value>`]),
      );
  }
}

/** The texts of the template, in English. */
export function adml(policy: Schema): string {
  const settings = settingsOf(policy);
  const strings: [name: string, text: string][] = [
    ['Causeway', 'Causeway'],
    ['Supported', 'Every version of Causeway'],
    ['True', 'Yes'],
    ['False', 'No'],
    ...settings.flatMap(({ name, title, explanation, fields }): [string, string][] => [
      [name, title],
      [`${name}_explained`, explanation],
      ...fields.flatMap(({ kind }) =>
        Array.isArray(kind) ? kind.map((choice): [string, string] => [`${name}_${identifier(choice)}`, choice]) : [],
      ),
    ]),
  ];
  return `<?xml version="1.0" encoding="utf-8"?>
<policyDefinitionResources xmlns="http://schemas.microsoft.com/GroupPolicy/2006/07/PolicyDefinitions" revision="1.0" schemaVersion="1.0">
  <displayName>Causeway</displayName>
  <description>What an organization decides about Causeway for the users of a computer.</description>
  <resources>
    <stringTable>
${strings.map(([id, text]) => `      <string id="${id}">${xml(text)}</string>`).join('\n')}
    </stringTable>
    <presentationTable>
${settings
  .map(
    ({ name, fields }) =>
      `      <presentation id="${name}">\n${fields.map((field) => presented(name, field)).join('\n')}\n      </presentation>`,
  )
  .join('\n')}
    </presentationTable>
  </resources>
</policyDefinitionResources>
`;
}

function presented(setting: string, { id, label, kind }: Field): string {
  const ref = `refId="${setting}_${id}"`;
  const text = xml(label);
  if (kind === 'checkbox') return `        <checkBox ${ref} defaultChecked="true">${text}</checkBox>`;
  if (kind === 'list') return `        <text>${text}</text>\n        <multiTextBox ${ref} />`;
  if (kind === 'text') return `        <textBox ${ref}>\n          <label>${text}</label>\n        </textBox>`;
  return `        <dropdownList ${ref} noSort="true" defaultItem="0">${text}</dropdownList>`;
}

function identifier(text: string): string {
  return text.replaceAll(/\W/g, '_');
}

/** A description without the marks of Markdown. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
