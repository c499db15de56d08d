import { choicesOf, type Schema } from './members.ts';

/** The domain that `main/permissions/policy/sources.ts` reads. */
const DOMAIN = 'io.causeway';
/** Of the format, not of a version of Causeway: raise it with a change of the policy's members. */
const MANIFEST_VERSION = 1;
const LAST_MODIFIED = '2026-11-26T00:00:00Z';

type Plist = string | number | boolean | Date | Plist[] | { [key: string]: Plist };

/**
 * The manifest of the configuration profile on macOS, in the form of ProfileManifests (github.com/ProfileManifests/ProfileManifests):
 * editors of profiles, such as iMazing Profile Editor and ProfileCreator, make their forms from it.
 */
export function profileManifest(policy: Schema): string {
  const manifest: Plist = {
    pfm_domain: DOMAIN,
    pfm_title: 'Causeway',
    pfm_description: 'What an organization decides about Causeway for the users of a computer.',
    pfm_format_version: 1,
    pfm_version: MANIFEST_VERSION,
    pfm_last_modified: new Date(LAST_MODIFIED),
    pfm_platforms: ['macOS'],
    pfm_targets: ['system'],
    pfm_interaction: 'combined',
    pfm_unique: true,
    pfm_subkeys: [...PAYLOAD, ...subkeysOf(policy, ['$schema'])],
  };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${plist(manifest, 0)}
</plist>
`;
}

/** What every payload of a profile has. */
const PAYLOAD: Plist[] = [
  payload('PayloadDisplayName', 'string', 'Name of the payload', 'Causeway'),
  payload('PayloadIdentifier', 'string', 'Identifier of the payload', DOMAIN),
  payload('PayloadType', 'string', 'Type of the payload', DOMAIN),
  payload('PayloadUUID', 'string', 'UUID of the payload'),
  payload('PayloadVersion', 'integer', 'Version of the payload', 1),
];

function payload(name: string, type: string, title: string, value?: Plist): Plist {
  return {
    pfm_name: name,
    pfm_type: type,
    pfm_title: title,
    pfm_description: `${title}.`,
    pfm_require: 'always',
    ...(value === undefined ? {} : { pfm_default: value }),
  };
}

function subkeysOf({ properties = {}, required = [] }: Schema, leftOut: readonly string[] = []): Plist[] {
  return Object.entries(properties).flatMap(([name, schema]) =>
    leftOut.includes(name) || typeof schema !== 'object' ? [] : [subkey(name, schema, required.includes(name))],
  );
}

function subkey(name: string, schema: Schema, isRequired: boolean): Plist {
  const { title = name, description, examples, const: fixed } = schema;
  const choices = choicesOf(schema);
  const [example] = examples ?? [];
  const inside = insideOf(schema);
  return {
    pfm_name: name,
    pfm_type: typeOf(schema),
    pfm_title: title,
    ...(description === undefined ? {} : { pfm_description: description.replaceAll('`', '') }),
    ...(isRequired ? { pfm_require: 'always' } : {}),
    ...(typeof fixed === 'number' ? { pfm_default: fixed, pfm_range_list: [fixed] } : {}),
    ...(choices ? { pfm_range_list: choices } : {}),
    ...(schema.minimum === undefined ? {} : { pfm_range_min: schema.minimum }),
    ...(schema.maximum === undefined ? {} : { pfm_range_max: schema.maximum }),
    ...(typeof example === 'string' ? { pfm_value_placeholder: example } : {}),
    ...(inside.length === 0 ? {} : { pfm_subkeys: inside }),
  };
}

/** What a list or an object holds; a record has any names, which the form calls `{{key}}`. */
function insideOf(schema: Schema): Plist[] {
  if (schema.properties) return subkeysOf(schema);
  const [element] = [schema.items].flat();
  if (typeof element === 'object') return [{ pfm_type: typeOf(element), ...insideMember(element) }];
  if (typeof schema.additionalProperties !== 'object') return [];
  const value = schema.additionalProperties;
  return [
    { pfm_name: '{{key}}', pfm_type: 'string', pfm_title: 'Name' },
    { pfm_name: '{{value}}', pfm_type: typeOf(value), pfm_title: 'Value', ...insideMember(value) },
  ];
}

function insideMember(schema: Schema): { pfm_subkeys?: Plist[] } {
  const inside = insideOf(schema);
  return inside.length === 0 ? {} : { pfm_subkeys: inside };
}

function typeOf({ type, const: fixed }: Schema): string {
  if (typeof fixed === 'number') return 'integer';
  switch (type) {
    case 'boolean':
    case 'integer':
    case 'string':
    case 'array':
      return type;
    case 'object':
      return 'dictionary';
    default:
      throw new Error(`A property list has no type for ${type}.`);
  }
}

function plist(value: Plist, depth: number): string {
  const indent = '\t'.repeat(depth);
  if (typeof value === 'string') return `${indent}<string>${xml(value)}</string>`;
  if (typeof value === 'number') return `${indent}<integer>${value}</integer>`;
  if (typeof value === 'boolean') return `${indent}<${value}/>`;
  if (value instanceof Date) return `${indent}<date>${value.toISOString().replace('.000', '')}</date>`;
  if (Array.isArray(value)) {
    return [`${indent}<array>`, ...value.map((each) => plist(each, depth + 1)), `${indent}</array>`].join('\n');
  }
  const members = Object.entries(value).flatMap(([key, each]) => [
    `${indent}\t<key>${xml(key)}</key>`,
    plist(each, depth + 1),
  ]);
  return [`${indent}<dict>`, ...members, `${indent}</dict>`].join('\n');
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
