import { z } from 'zod';
import { CausewayError } from '../../platform/errors.ts';
import { type JsonFault, parseJson, schemaFault } from '../../platform/json-faults.ts';
import { findNotUtf8 } from '../../platform/utf8.ts';
import type { Policy } from './policy.ts';
import { policySchema } from './policy-schema.ts';

/**
 * Reads a policy. A key that this version does not know makes the whole policy unusable, because it may forbid something, unless
 * the policy itself says that versions without it may go on: its list `optional` names such a key, with dots, as the error does.
 * @throws {CausewayError} `invalid_file`, with line and column
 */
export async function parsePolicy(source: string, bytes: Buffer): Promise<Policy> {
  for (const fault of findNotUtf8(bytes)) throw unreadable(source, fault);
  const text = bytes.toString('utf8');
  const refuse = (fault: JsonFault) => unreadable(source, fault);
  const json = await parseJson(text, z.unknown(), refuse);
  const ignored = withoutOptional(json);
  const read = policySchema.safeParse(json);
  if (!read.success) throw refuse(await schemaFault(text.replace(/^\uFEFF/, ''), read.error));
  const { version: _, $schema: _schema, organization = null, contact = null, optional = [], ...keys } = read.data;
  return { source, organization, contact, problem: null, keys, optional, ignored };
}

/** Removes the keys that this version does not know and that the policy lets it ignore. Returns their names. */
function withoutOptional(json: unknown): string[] {
  const optional = new Set(z.object({ optional: z.array(z.string()) }).safeParse(json).data?.optional);
  if (optional.size === 0) return [];
  const ignored: string[] = [];
  for (const issue of policySchema.safeParse(json).error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys') continue;
    for (const key of issue.keys) {
      const name = [...issue.path, key].map(String).join('.');
      if (!optional.has(name)) continue;
      removeMember(json, issue.path, key);
      ignored.push(name);
    }
  }
  return ignored;
}

function removeMember(json: unknown, path: readonly PropertyKey[], key: string): void {
  let holder = json;
  for (const part of path) holder = isObject(holder) ? Reflect.get(holder, part) : undefined;
  if (isObject(holder)) Reflect.deleteProperty(holder, key);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function unreadable(source: string, { line, column, what }: JsonFault): CausewayError {
  return new CausewayError(
    'invalid_file',
    `${source} is not a valid policy: line ${line}, column ${column}: ${what}.`,
    {
      remedy: 'See docs/policy.md for the keys and their values.',
    },
  );
}
