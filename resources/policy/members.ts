import type { z } from 'zod';

export type Schema = z.core.JSONSchema.BaseSchema;

/** A member of a file, as its schema has it. */
export interface Member {
  /** With dots; `NAME` stands for any name, and `[]` for each element of a list. */
  path: string;
  schema: Schema;
  isRequired: boolean;
  /** Whether what is inside it has members of its own. */
  hasMembers: boolean;
}

/** What stands for the names of a record, by the member that holds it. */
const PLACEHOLDERS: Record<string, string> = { clients: 'ID', servers: 'SERVER' };

/** Every member that a schema knows, each before those inside it. */
export function membersOf(schema: Schema, path = ''): Member[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const own = asSchema(property);
    const at = path === '' ? name : `${path}.${name}`;
    const inside = insideOf(own, at, name);
    const isRequired = schema.required?.includes(name) === true;
    return [{ path: at, schema: own, isRequired, hasMembers: inside.length > 0 }, ...inside];
  });
}

function insideOf(schema: Schema, at: string, name: string): Member[] {
  if (schema.properties) return membersOf(schema, at);
  const [element] = [schema.items].flat();
  if (typeof element === 'object') return membersOf(element, `${at}[]`);
  return typeof schema.additionalProperties === 'object'
    ? membersOf(schema.additionalProperties, `${at}.${PLACEHOLDERS[name] ?? 'NAME'}`)
    : [];
}

function asSchema(schema: Schema | boolean): Schema {
  return typeof schema === 'object' ? schema : {};
}

/** The schema of a member of an object. @throws if it has none of that name */
export function memberSchema(schema: Schema, name: string): Schema {
  const found = schema.properties?.[name];
  if (typeof found !== 'object') throw new Error(`The schema has no member "${name}".`);
  return found;
}

/** The texts that a member can be; undefined if it can be others, or is no text. */
export function choicesOf({ enum: choices }: Schema): string[] | undefined {
  return choices?.map(String);
}

/** Whether a member is a list of texts. */
export function isTextList({ type, items }: Schema): boolean {
  const [element] = [items].flat();
  return type === 'array' && typeof element === 'object' && element.type === 'string';
}
