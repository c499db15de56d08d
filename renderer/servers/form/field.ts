/** A JSON Schema as the fields of a form. A schema that no control fits becomes a field of JSON. */
export type FormField = Shared &
  (
    | { kind: 'text'; input: 'lines' | 'date' | 'sql' }
    | { kind: 'number'; whole: boolean }
    | { kind: 'boolean' }
    | { kind: 'choice'; options: { label: string; value: unknown }[] }
    | { kind: 'list'; item: FormField }
    | { kind: 'object'; fields: FormField[] }
    | { kind: 'json' }
  );

interface Shared {
  /** The property's own name; empty for the items of a list. */
  name: string;
  label: string;
  description: string;
  required: boolean;
  /** Undefined if the schema gives none. */
  initial: unknown;
}

type Schema = Record<string, unknown>;

/** How deep a form goes before it leaves the rest to JSON: schemas may refer to themselves. */
const MAX_DEPTH = 4;

/** The arguments in which tools of a SQL server take their SQL. */
const STATEMENTS: ReadonlySet<string> = new Set(['query', 'statement', 'sql']);

/** The fields of a tool's input schema, in its order. `takesSql` is whether the tool is one of a SQL server. */
export function formFields(inputSchema: Schema, takesSql = false): FormField[] {
  const fields = propertiesOf(inputSchema, inputSchema, 0);
  if (!takesSql) return fields;
  return fields.map((field) =>
    field.kind === 'text' && STATEMENTS.has(field.name) ? { ...field, input: 'sql' } : field,
  );
}

function propertiesOf(schema: Schema, root: Schema, depth: number): FormField[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(isObject(schema.properties) ? schema.properties : {}).map(([name, property]) =>
    fieldOf(property, root, { name, required: required.includes(name), depth }),
  );
}

interface Place {
  name: string;
  required: boolean;
  depth: number;
}

function fieldOf(rawSchema: unknown, root: Schema, { name, required, depth }: Place): FormField {
  const schema = plain(rawSchema, root);
  const shared = {
    name,
    label: textIn(schema.title) || name,
    description: textIn(schema.description),
    required,
    initial: schema.default,
  };
  const options = optionsOf(schema);
  if (options) return { ...shared, kind: 'choice', options };
  const nested = nestedIn(schema, root, depth);
  if (nested) return { ...shared, ...nested };
  switch (schema.type) {
    case 'string':
      return { ...shared, kind: 'text', input: schema.format === 'date' ? 'date' : 'lines' };
    case 'number':
    case 'integer':
      return { ...shared, kind: 'number', whole: schema.type === 'integer' };
    case 'boolean':
      return { ...shared, kind: 'boolean' };
    default:
      return { ...shared, kind: 'json' };
  }
}

/** What a list or an object has in it; undefined for what has nothing that a form shows. */
function nestedIn({ type, items, ...schema }: Schema, root: Schema, outerDepth: number) {
  const depth = outerDepth + 1;
  if (depth > MAX_DEPTH) return undefined;
  if (type === 'array' && isObject(items)) {
    return { kind: 'list' as const, item: fieldOf(items, root, { name: '', required: true, depth }) };
  }
  const fields = type === 'object' ? propertiesOf(schema, root, depth) : [];
  return fields.length === 0 ? undefined : { kind: 'object' as const, fields };
}

/** Follows a reference into the schema itself, and passes over "or null": an optional field may be left out. */
function plain(rawSchema: unknown, root: Schema, followed = 0): Schema {
  if (!isObject(rawSchema)) return {};
  if (typeof rawSchema.$ref === 'string' && followed < MAX_DEPTH) {
    const { $ref, ...beside } = rawSchema;
    return { ...plain(at(root, $ref), root, followed + 1), ...beside };
  }
  if (Array.isArray(rawSchema.type)) {
    const types = rawSchema.type.filter((type) => type !== 'null');
    return types.length === 1 ? { ...rawSchema, type: types[0] } : { ...rawSchema, type: undefined };
  }
  for (const key of ['anyOf', 'oneOf']) {
    const branches = rawSchema[key];
    if (!Array.isArray(branches)) continue;
    const real = branches.filter((branch) => !(isObject(branch) && branch.type === 'null'));
    if (real.length === 1 && isObject(real[0]))
      return plain({ ...rawSchema, ...real[0], [key]: undefined }, root, followed);
  }
  return rawSchema;
}

function at(root: Schema, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  const steps = reference
    .slice(2)
    .split('/')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<unknown>((now, step) => (isObject(now) ? now[step] : undefined), root);
}

function optionsOf(schema: Schema): { label: string; value: unknown }[] | undefined {
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
    return schema.enum
      .filter((value) => value !== null)
      .map((value, place) => ({ label: textIn(names[place]) || wordFor(value), value }));
  }
  if ('const' in schema) return [{ label: wordFor(schema.const), value: schema.const }];
  const branches = Array.isArray(schema.oneOf) ? schema.oneOf : Array.isArray(schema.anyOf) ? schema.anyOf : [];
  const isConstant = (branch: unknown): branch is Schema => isObject(branch) && 'const' in branch;
  if (branches.length === 0 || !branches.every(isConstant)) return undefined;
  return branches.map((branch) => ({ label: textIn(branch.title) || wordFor(branch.const), value: branch.const }));
}

function wordFor(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
